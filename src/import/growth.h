/*
 * Growth of the metrics of one location, from each value to the next.
 *
 * A value of an accumulated metric (a hardware counter, bytes so far) is a total: the growth is the difference to the
 * value before. A value of a relative metric is itself the growth since the value before. An absolute metric (a
 * temperature, a rate) does not grow. The field `mode` of the table `metrics` says which kind a metric is.
 *
 * A series is one member of one row of `metric_classes`, which may be an instance of a class. Each series has its own
 * previous value.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t n;          /* capacity of `rows` */
    struct Class **rows; /* by row of metric_classes; NULL: no value so far */
} XtfGrowth;

void xtf_growth_init(XtfGrowth *growth);
void xtf_growth_finish(XtfGrowth *growth);
void xtf_growth_clear(XtfGrowth *growth); /* call it before the next location */

/*
 * Returns the growth to a value of member `i` of row `class`. The value and the growth have the type `type`, a number
 * of xtf_value_types: their bits are a double, or an integer modulo 2^64. Returns 0 for the first value of
 * an accumulated metric, after a value of the other type, and in all other modes.
 */
uint64_t xtf_growth_to(XtfGrowth *growth, uint32_t class, uint8_t i, unsigned mode, unsigned type, uint64_t value);
