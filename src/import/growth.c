#include "src/import/growth.h"

#include <string.h>

#include "src/model/labels.h"

/* OTF2_MetricMode: the low bits say what a value is, the high bits of which time. */
enum { ACCUMULATED = 0, RELATIVE = 2, WHAT_MASK = 15 };

enum { MEMBERS_MAX = UINT8_MAX + 1 };

struct Class {
    struct {
        uint64_t value;
        enum { NONE, INTEGER, REAL } kind;
    } before[MEMBERS_MAX];
};

void xtf_growth_init(XtfGrowth *growth)
{
    *growth = (XtfGrowth){0};
}

void xtf_growth_clear(XtfGrowth *growth)
{
    for (uint32_t i = 0; i < growth->n; i++)
        g_clear_pointer(&growth->rows[i], g_free);
}

void xtf_growth_finish(XtfGrowth *growth)
{
    xtf_growth_clear(growth);
    g_clear_pointer(&growth->rows, g_free);
    growth->n = 0;
}

static struct Class *class_of(XtfGrowth *growth, uint32_t row)
{
    if (row >= growth->n) {
        uint32_t n = MAX(row + 1, growth->n < UINT32_MAX / 2 ? 2 * growth->n : row + 1);
        growth->rows = g_renew(struct Class *, growth->rows, n);
        memset(growth->rows + growth->n, 0, (n - growth->n) * sizeof *growth->rows);
        growth->n = n;
    }
    if (!growth->rows[row])
        growth->rows[row] = g_new0(struct Class, 1);
    return growth->rows[row];
}

static uint64_t difference(bool real, uint64_t value, uint64_t before)
{
    double a, b;

    if (!real)
        return value - before;
    memcpy(&a, &before, sizeof a);
    memcpy(&b, &value, sizeof b);
    b -= a;
    memcpy(&value, &b, sizeof value);
    return value;
}

uint64_t xtf_growth_to(XtfGrowth *growth, uint32_t class, uint8_t i, unsigned mode, unsigned type, uint64_t value)
{
    bool real = type < 64 && UINT64_C(1) << type & XTF_REAL_VALUE_TYPES;
    unsigned what = mode & WHAT_MASK;

    if (what == RELATIVE)
        return value;
    if (what != ACCUMULATED || class == UINT32_MAX)
        return 0;
    struct Class *series = class_of(growth, class);
    bool known = series->before[i].kind == (real ? REAL : INTEGER);
    uint64_t grown = known ? difference(real, value, series->before[i].value) : 0;
    series->before[i].value = value;
    series->before[i].kind = real ? REAL : INTEGER;
    return grown;
}
