#include "src/import/growth.h"

#include <string.h>

#include "src/model/labels.h"

/* OTF2_MetricMode: the low bits are the kind of value, the high bits the time that a value is about. */
enum { ACCUMULATED = 0, RELATIVE = 2, KIND_MASK = 15 };

enum { MEMBERS_MAX = UINT8_MAX + 1 };

struct Class {
    struct {
        uint64_t value;
        enum { NONE, INTEGER, REAL } type;
    } previous[MEMBERS_MAX];
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

static uint64_t difference(bool real, uint64_t value, uint64_t previous)
{
    double old, new;

    if (!real)
        return value - previous;
    memcpy(&old, &previous, sizeof old);
    memcpy(&new, &value, sizeof new);
    new -= old;
    memcpy(&value, &new, sizeof value);
    return value;
}

uint64_t xtf_growth_to(XtfGrowth *growth, uint32_t class, uint8_t i, unsigned mode, unsigned type, uint64_t value)
{
    bool real = type < 64 && UINT64_C(1) << type & XTF_REAL_VALUE_TYPES;
    unsigned kind = mode & KIND_MASK;

    if (kind == RELATIVE)
        return value;
    if (kind != ACCUMULATED || class == UINT32_MAX)
        return 0;
    struct Class *series = class_of(growth, class);
    bool known = series->previous[i].type == (real ? REAL : INTEGER);
    uint64_t grown = known ? difference(real, value, series->previous[i].value) : 0;
    series->previous[i].value = value;
    series->previous[i].type = real ? REAL : INTEGER;
    return grown;
}
