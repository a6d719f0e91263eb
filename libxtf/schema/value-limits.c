#include "libxtf/schema/value-limits.h"

#include "libxtf/base/le.h"

/*
 * Computes the limits of a column in one pass. Values are compared as unsigned numbers in the order of the values.
 * Every written row passes through this loop, so the loop is expanded for each width. Its only branch is rarely taken:
 * for values outside [low, high], and for "none". The limits start with the first and the last row, because times and
 * other rising numbers lie between the two.
 *
 * "none" has all bits set: it is the largest unsigned value. While no other value has been seen, it is both low and
 * high; afterwards it is never inside [low, high]. In a signed field "none" is -1, which can be inside [low, high], so
 * optional signed fields do not use the fast path.
 */
#define COLUMN_LIMITS(bits, flip)                                                          \
    do {                                                                                   \
        const bool fast = (flip) == 0 || !optional;                                        \
        uint##bits##_t first, last;                                                        \
        memcpy(&first, rows, sizeof first);                                                \
        bool none = optional && first == UINT##bits##_MAX, seen = !none;                   \
        memcpy(&last, rows + size - row_size, sizeof last);                                \
        last = optional && (none || last == UINT##bits##_MAX) ? first : last;              \
        uint##bits##_t low = first ^ (flip), high = last ^ (flip);                         \
        if (low > high)                                                                    \
            low = last ^ (flip), high = first ^ (flip);                                    \
        uint##bits##_t span = high - low;                                                  \
        for (const uint8_t *row = rows, *end = rows + size; row != end; row += row_size) { \
            uint##bits##_t value;                                                          \
            memcpy(&value, row, sizeof value);                                             \
            if (G_LIKELY(fast && (uint##bits##_t)((value ^ (flip)) - low) <= span))        \
                continue;                                                                  \
            if (optional && value == UINT##bits##_MAX) {                                   \
                none = true;                                                               \
                continue;                                                                  \
            }                                                                              \
            value ^= (flip);                                                               \
            low = !seen || value < low ? value : low;                                      \
            high = !seen || value > high ? value : high;                                   \
            span = high - low;                                                             \
            seen = true;                                                                   \
        }                                                                                  \
        limits.has_none = none;                                                            \
        if (seen) {                                                                        \
            limits.min = low ^ (flip);                                                     \
            limits.max = high ^ (flip);                                                    \
        }                                                                                  \
    } while (0)

static XtfLimits limits_f64(const uint8_t *rows, uint32_t row_size, uint32_t count, bool optional)
{
    XtfLimits limits = xtf_limits_empty();
    double low = 0, high = 0;
    bool has_value = false;

    for (uint32_t i = 0; i < count; i++, rows += row_size) {
        uint64_t bits = xtf_load64(rows);
        double value = xtf_f64_from_bits(bits);
        if (optional && bits == UINT64_MAX)
            limits.has_none = true;
        else if (value == value) { /* a NaN has no order */
            low = !has_value || value < low ? value : low;
            high = !has_value || value > high ? value : high;
            has_value = true;
        }
    }
    if (has_value) {
        limits.min = xtf_f64_to_bits(low);
        limits.max = xtf_f64_to_bits(high);
    }
    return limits;
}

XtfLimits xtf_limits_of_rows(const XtfField *field, const uint8_t *rows, uint32_t row_size, uint32_t count)
{
    XtfLimits limits = xtf_limits_empty();
    bool optional = field->flags & XTF_FIELD_OPTIONAL;
    size_t size = (size_t)row_size * count;

    if (count == 0)
        return limits;
    rows += field->offset;
    switch (field->type) {
    case XTF_TYPE_U8:
        COLUMN_LIMITS(8, 0);
        break;
    case XTF_TYPE_U16:
        COLUMN_LIMITS(16, 0);
        break;
    case XTF_TYPE_U32:
    case XTF_TYPE_STRING:
        COLUMN_LIMITS(32, 0);
        break;
    case XTF_TYPE_U64:
        COLUMN_LIMITS(64, 0);
        break;
    case XTF_TYPE_I32:
        COLUMN_LIMITS(32, UINT32_C(1) << 31);
        if (!xtf_limits_are_empty(&limits)) { /* sign-extend, as xtf_field_get() does */
            limits.min = (uint64_t)(int64_t)(int32_t)limits.min;
            limits.max = (uint64_t)(int64_t)(int32_t)limits.max;
        }
        break;
    case XTF_TYPE_I64:
        COLUMN_LIMITS(64, UINT64_C(1) << 63);
        break;
    case XTF_TYPE_F64:
        return limits_f64(rows, row_size, count, optional);
    }
    return limits;
}

XtfLimits xtf_limits_join(XtfType type, const XtfLimits *a, const XtfLimits *b)
{
    XtfLimits joined = xtf_limits_are_empty(a) ? *b : *a;

    if (!xtf_limits_are_empty(a) && !xtf_limits_are_empty(b)) {
        joined.min = xtf_value_less(type, b->min, a->min) ? b->min : a->min;
        joined.max = xtf_value_less(type, a->max, b->max) ? b->max : a->max;
    }
    joined.has_none = a->has_none || b->has_none;
    return joined;
}
