#include "src/tables/alike/frequencies.h"

void xtf_frequencies_init(XtfFrequencies *frequencies)
{
    *frequencies = (XtfFrequencies){.cells = g_array_new(FALSE, FALSE, sizeof(XtfFrequency))};
}

void xtf_frequencies_finish(XtfFrequencies *frequencies)
{
    g_clear_pointer(&frequencies->cells, g_array_unref);
}

static XtfFrequency *cell_at(const XtfFrequencies *frequencies, guint i)
{
    return &g_array_index(frequencies->cells, XtfFrequency, i);
}

void xtf_frequencies_add(XtfFrequencies *frequencies, uint64_t number, uint64_t count)
{
    const XtfFrequency cell = {number, count};

    if (count == 0)
        return;
    g_array_append_val(frequencies->cells, cell);
    frequencies->total += count;
}

static int compare_cells(gconstpointer a, gconstpointer b)
{
    const XtfFrequency *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void xtf_frequencies_sort(XtfFrequencies *frequencies)
{
    guint n = 0;

    g_array_sort(frequencies->cells, compare_cells);
    for (guint i = 0; i < frequencies->cells->len; i++) {
        const XtfFrequency *cell = cell_at(frequencies, i);
        if (n && cell_at(frequencies, n - 1)->number == cell->number)
            cell_at(frequencies, n - 1)->count += cell->count;
        else
            *cell_at(frequencies, n++) = *cell;
    }
    g_array_set_size(frequencies->cells, n);
}

/* A walk through the numbers of two profiles, in order. */
typedef struct {
    const XtfFrequencies *sides[2];
    guint at[2];
    uint64_t number, counts[2]; /* of the current number */
} Walk;

/* Moves to the next number that one of the profiles has. Returns false behind the last one. */
static bool walk_on(Walk *walk)
{
    bool has[2];

    walk->number = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        has[i] = walk->at[i] < walk->sides[i]->cells->len;
        if (has[i])
            walk->number = MIN(walk->number, cell_at(walk->sides[i], walk->at[i])->number);
    }
    for (unsigned i = 0; i < 2; i++) {
        const XtfFrequency *cell = has[i] ? cell_at(walk->sides[i], walk->at[i]) : NULL;
        bool is_here = cell && cell->number == walk->number;
        walk->counts[i] = is_here ? cell->count : 0;
        walk->at[i] += is_here;
    }
    return has[0] || has[1];
}

static uint64_t difference_of(const uint64_t counts[static 2])
{
    return counts[0] > counts[1] ? counts[0] - counts[1] : counts[1] - counts[0];
}

double xtf_frequencies_distance(const XtfFrequencies *a, const XtfFrequencies *b)
{
    Walk walk = {.sides = {a, b}};
    unsigned __int128 differences = 0, sum = (unsigned __int128)a->total + b->total;

    if (sum == 0)
        return 0;
    while (walk_on(&walk))
        differences += difference_of(walk.counts);
    return (double)differences / (double)sum;
}

bool xtf_frequencies_differ_most(const XtfFrequencies *a, const XtfFrequencies *b, uint64_t *number,
                                 uint64_t counts[static 2])
{
    Walk walk = {.sides = {a, b}};
    uint64_t most = 0;

    while (walk_on(&walk)) {
        if (difference_of(walk.counts) <= most)
            continue;
        most = difference_of(walk.counts);
        *number = walk.number;
        counts[0] = walk.counts[0];
        counts[1] = walk.counts[1];
    }
    return most > 0;
}
