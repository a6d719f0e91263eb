/*
 * What the metrics of one location grow by, from each of their values to the next.
 *
 * An accumulated metric (a hardware counter, bytes so far) says how much there was in all, so it grew by the value less
 * the value before. A relative metric says itself how much was added since the value before. An absolute metric (a
 * temperature, a rate) does not grow. What a metric is, is its mode in the table `metrics`.
 *
 * A series is one member of one row of `metric_classes`, which may be an instance of a class: each has its own values
 * before.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t n;          /* rows of metric_classes that there is room for */
    struct Class **rows; /* by row; NULL: no value so far */
} XtfGrowth;

void xtf_growth_init(XtfGrowth *growth);
void xtf_growth_finish(XtfGrowth *growth);
void xtf_growth_clear(XtfGrowth *growth); /* before the next location */

/*
 * The growth to a value of member `i` of row `class`, whose bits are to be read by `type`, a number of xtf_value_types:
 * bits of a double for a real one, else an integer modulo 2^64. 0 if there is none: the first value of an accumulated
 * metric, one of another kind than the value before, an absolute metric, one that is none of these.
 */
uint64_t xtf_growth_to(XtfGrowth *growth, uint32_t class, uint8_t i, unsigned mode, unsigned type, uint64_t value);
