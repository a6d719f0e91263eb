/*
 * Gathering: reads what finding the spans of several locations reads, so that a slow source gets few requests.
 */
#include "libxtf/trace.h"
#include "src/trace/select/span-search.h"

/* A run of locations whose spans are about to be found. */
typedef struct {
    XtfSpanSearch *search;
    XtfLocationArrays *arrays;
    const uint32_t *locations;
    uint32_t n;
} Run;

/* Reads what cutting the spans of an array to the window reads. */
static void read_ranks(const XtfSpanSearch *search, const XtfArray *array)
{
    uint64_t n;

    if (!xtf_span_search_may_have_rows(search, array->schema) || search->selection->time_from > array->last ||
        search->time_to <= array->first)
        return;
    xtf_array_rank(array, search->selection->time_from, &n, NULL);
    xtf_array_rank(array, search->time_to, &n, NULL);
}

/* Reads what finding the spans of a run reads. */
static void read_run(void *data)
{
    const Run *run = data;
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(XtfSpan));

    for (uint32_t i = 0; i < run->n; i++) {
        if (!xtf_location_arrays_load(run->arrays, run->search->context,
                                      &run->search->locations->all[run->locations[i]], NULL))
            continue;
        for (uint32_t a = 0; a < run->arrays->n; a++) {
            read_ranks(run->search, &run->arrays->all[a]);
            if (run->search->matchers)
                xtf_span_search_add_array(run->search, &run->arrays->all[a], run->locations[i], spans, NULL);
        }
    }
}

void xtf_span_search_gather(XtfSpanSearch *search, XtfLocationArrays *arrays, const uint32_t *locations, uint32_t n)
{
    xtf_trace_gather(search->context->trace, read_run, &(Run){search, arrays, locations, n});
}
