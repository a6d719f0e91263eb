#include "src/trace/context/number-set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"

/* Parses the digits at *text and advances *text; false if there are none or the number overflows. */
static bool parse_number(const char **text, uint64_t *value)
{
    const char *p = *text;
    uint64_t v = 0;

    if (!g_ascii_isdigit(*p))
        return false;
    for (; g_ascii_isdigit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *text = p;
    *value = v;
    return true;
}

static XtfNumberSet *set_new(unsigned n_ranges)
{
    XtfNumberSet *set = g_malloc0(sizeof *set + n_ranges * sizeof *set->ranges);
    g_atomic_ref_count_init(&set->references);
    set->n_ranges = n_ranges;
    return set;
}

XtfNumberSet *xtf_number_set_ref(XtfNumberSet *set)
{
    if (set)
        g_atomic_ref_count_inc(&set->references);
    return set;
}

void xtf_number_set_unref(XtfNumberSet *set)
{
    if (set && g_atomic_ref_count_dec(&set->references))
        g_free(set);
}

static int compare_ranges(const void *a, const void *b)
{
    const XtfNumberRange *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the ranges and joins ranges that touch, so that equal sets have equal ranges. */
static XtfNumberSet *set_from_ranges(GArray *ranges)
{
    XtfNumberSet *set = set_new(ranges->len);
    unsigned n = 0;

    if (ranges->len)
        qsort(ranges->data, ranges->len, sizeof(XtfNumberRange), compare_ranges);
    for (unsigned i = 0; i < ranges->len; i++) {
        const XtfNumberRange *range = &g_array_index(ranges, XtfNumberRange, i);
        XtfNumberRange *previous = n ? &set->ranges[n - 1] : NULL;
        if (previous && (previous->last == UINT64_MAX || range->first <= previous->last + 1))
            previous->last = MAX(previous->last, range->last);
        else
            set->ranges[n++] = *range;
    }
    set->n_ranges = n;
    return set;
}

XtfNumberSet *xtf_number_set_from_flags(const bool *flags, uint64_t n)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (uint64_t i = 0; i < n; i++) {
        XtfNumberRange range = {i, i};
        if (!flags[i])
            continue;
        while (range.last + 1 < n && flags[range.last + 1])
            range.last++;
        g_array_append_val(ranges, range);
        i = range.last;
    }
    return set_from_ranges(ranges);
}

XtfNumberSet *xtf_number_set_of_one(uint64_t number)
{
    XtfNumberSet *set = set_new(1);
    set->ranges[0] = (XtfNumberRange){number, number};
    return set;
}

XtfNumberSet *xtf_number_set_from_ranges(const XtfNumberRange *ranges, size_t n)
{
    g_autoptr(GArray) copy = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    if (n)
        g_array_append_vals(copy, ranges, (guint)n);
    return set_from_ranges(copy);
}

int xtf_compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t xtf_sort_distinct(uint64_t *numbers, uint32_t n)
{
    uint32_t distinct = 0;

    if (n)
        qsort(numbers, n, sizeof *numbers, xtf_compare_numbers);
    for (uint32_t i = 0; i < n; i++) {
        if (!distinct || numbers[distinct - 1] != numbers[i])
            numbers[distinct++] = numbers[i];
    }
    return distinct;
}

/* ---- Parsing. */

static bool check_number(const XtfNumbers *numbers, uint64_t number, GError **error)
{
    if (numbers->is_any ||
        (numbers->n && bsearch(&number, numbers->all, numbers->n, sizeof number, xtf_compare_numbers)))
        return true;
    if (!numbers->n)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no %s at all", numbers->noun);
    return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "there is no %s %" PRIu64 ": the trace has %u, numbered %" PRIu64 " to %" PRIu64, numbers->noun,
                    number, numbers->n, numbers->all[0], numbers->all[numbers->n - 1]);
}

/* Parses "5", "5-7", "5-" or "-7" at *text and advances *text; messages quote the whole list, `whole`. */
static bool parse_range(const XtfNumbers *numbers, const char *whole, const char **text, XtfNumberRange *range,
                        GError **error)
{
    bool has_first = parse_number(text, &range->first), has_dash = **text == '-', has_last = false;

    *text += has_dash;
    if (has_dash)
        has_last = parse_number(text, &range->last);
    if (!(has_first || has_last) || (**text && **text != ','))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "\"%s\" is not a list of %s numbers: write 12, 0-63, 8-, -7 or 0,4,8-11", whole, numbers->noun);
    if (!has_first)
        range->first = 0;
    if (!has_last)
        range->last = has_dash ? UINT64_MAX : range->first;
    if (range->first > range->last)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "in \"%s\" the range ends before it begins", whole);
    return (!has_first || check_number(numbers, range->first, error)) &&
           (!has_last || check_number(numbers, range->last, error));
}

XtfNumberSet *xtf_number_set_parse(const XtfNumbers *numbers, const char *text, GError **error)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (const char *p = text;; p++) {
        XtfNumberRange range;
        if (!parse_range(numbers, text, &p, &range, error))
            return NULL;
        g_array_append_val(ranges, range);
        if (!*p)
            return set_from_ranges(ranges);
    }
}

/* ---- Using sets. */

XtfNumberSet *xtf_number_set_intersect(XtfNumberSet *a, XtfNumberSet *b)
{
    if (!a || !b)
        return xtf_number_set_ref(a ? a : b);

    XtfNumberSet *set = set_new(a->n_ranges + b->n_ranges);
    unsigned n = 0;
    for (unsigned i = 0, j = 0; i < a->n_ranges && j < b->n_ranges;) {
        uint64_t first = MAX(a->ranges[i].first, b->ranges[j].first);
        uint64_t last = MIN(a->ranges[i].last, b->ranges[j].last);
        if (first <= last)
            set->ranges[n++] = (XtfNumberRange){first, last};
        if (a->ranges[i].last < b->ranges[j].last)
            i++;
        else
            j++;
    }
    set->n_ranges = n;
    return set;
}

bool xtf_number_set_equal(const XtfNumberSet *a, const XtfNumberSet *b)
{
    if (!a || !b)
        return a == b;
    return a->n_ranges == b->n_ranges && memcmp(a->ranges, b->ranges, a->n_ranges * sizeof *a->ranges) == 0;
}

uint64_t xtf_number_set_count_below(const XtfNumberSet *set, uint64_t n)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < set->n_ranges && set->ranges[i].first < n; i++)
        count += MIN(set->ranges[i].last, n - 1) - set->ranges[i].first + 1;
    return count;
}

bool xtf_number_set_contains(const XtfNumberSet *set, uint64_t value)
{
    unsigned low = 0, high = set ? set->n_ranges : 0;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (set->ranges[middle].last < value)
            low = middle + 1;
        else
            high = middle;
    }
    return !set || (low < set->n_ranges && set->ranges[low].first <= value);
}

bool xtf_number_set_single(const XtfNumberSet *set, uint64_t *value)
{
    if (!set || set->n_ranges != 1 || set->ranges[0].first != set->ranges[0].last)
        return false;
    *value = set->ranges[0].first;
    return true;
}

void xtf_number_set_print(const XtfNumberSet *set, GString *out)
{
    for (unsigned i = 0; i < set->n_ranges; i++) {
        g_string_append_printf(out, "%s%" PRIu64, i ? "," : "", set->ranges[i].first);
        if (set->ranges[i].last != set->ranges[i].first)
            g_string_append_printf(out, "-%" PRIu64, set->ranges[i].last);
    }
}

bool xtf_rank_range_parse(const char *text, const char *noun, uint64_t *from, uint64_t *to, bool *single,
                          GError **error)
{
    uint64_t i = 0, j = UINT64_MAX;
    const char *p = text;
    bool has_i = parse_number(&p, &i), has_dash = *p == '-', has_j = false;

    if (has_dash) {
        p++;
        has_j = parse_number(&p, &j);
    }
    if (*p || (!has_i && !has_j) || (!has_dash && i == UINT64_MAX))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "\"%s\" is not a range of %s numbers: write K for %s K, I-J for %ss I to J - 1, I- or -J", text,
                        noun, noun, noun);
    if (i > j)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the range \"%s\" ends before it begins", text);
    *single = !has_dash;
    *from = i;
    *to = has_dash ? j : i + 1;
    return true;
}
