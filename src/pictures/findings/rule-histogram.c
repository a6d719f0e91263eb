/* Nearly all calls lie in a small part of the window. */
#include <inttypes.h>

#include "libxtf/error.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    SLICES = 100,
    PERCENT_OF_CALLS = 90,
    CALLS_MIN = 100, /* fewer calls are not reported */
};

enum { FROM, TO, CALLS };
static const char *const columns[] = {"from", "to", "calls"};

typedef struct {
    unsigned n;
    uint64_t calls[SLICES];
    double from[SLICES], to[SLICES]; /* seconds */
    const XtfFindingJob *job;
} Slices;

static bool add_slice_row(const XtfRowCell *cells, void *data, GError **error)
{
    Slices *slices = data;

    if (slices->n == SLICES)
        return xtf_damaged(error, "the table histogram has more than %d rows", SLICES);
    slices->from[slices->n] = xtf_finding_cell_seconds(slices->job, &cells[FROM]);
    slices->to[slices->n] = xtf_finding_cell_seconds(slices->job, &cells[TO]);
    slices->calls[slices->n++] = xtf_row_number(&cells[CALLS]);
    return true;
}

/* Finds the fewest adjacent slices that have the percentage of the calls. Prefers slices with more calls, then the
 * first. */
static unsigned find_narrowest_slices(const Slices *slices, uint64_t total, unsigned *first, uint64_t *calls)
{
    for (unsigned width = 1; width <= slices->n; width++) {
        *calls = 0;
        for (unsigned i = 0; i + width <= slices->n; i++) {
            uint64_t sum = 0;
            for (unsigned j = i; j < i + width; j++)
                sum += slices->calls[j];
            if (sum > *calls) {
                *calls = sum;
                *first = i;
            }
        }
        if ((unsigned __int128)*calls * 100 >= (unsigned __int128)total * PERCENT_OF_CALLS)
            return width;
    }
    return slices->n;
}

bool xtf_rule_concentration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_autofree Slices *slices = g_new0(Slices, 1);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, add_slice_row, slices);
    uint64_t total = 0, calls = 0;
    unsigned first = 0;

    slices->job = job;
    if (!xtf_finding_has(job, job->selection, "histogram"))
        return true;
    if (!xtf_view_pick(job->views, "histogram", job->selection, &picker, error))
        return false;
    for (unsigned i = 0; i < slices->n; i++)
        total += slices->calls[i];
    if (total < CALLS_MIN)
        return true;
    unsigned width = find_narrowest_slices(slices, total, &first, &calls);
    if (width >= rule->threshold * slices->n)
        return true;
    double from = slices->from[first], to = slices->to[first + width - 1];
    xtf_finding_add(job, rule, 1 - (double)width / slices->n, &(XtfFinding){.table = "histogram"},
                    "%s of the calls are in %u %% of %s, from %s to %s",
                    xtf_word_percent((double)calls / (double)total * XTF_HUNDREDTHS).text, width, job->window_words,
                    xtf_word_time(from, to - from).text, xtf_word_time(to, to - from).text);
    return true;
}
