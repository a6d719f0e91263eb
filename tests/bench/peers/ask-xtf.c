#include "ask.h"
#include "libxtf/aggregates.h"

static void *open_xtf(const char *path)
{
    g_autoptr(GError) error = NULL;
    XtfTrace *trace = xtf_trace_open(path, &(XtfOpenOptions){.cache_bytes = ask_cache_bytes()}, &error);
    bench_check(trace, error, "%s", path);
    return trace;
}

/* Returns the index of the schema's first aggregate of a kind: the one with no more keys than needed. */
static unsigned aggregate_of_kind(const XtfSchema *schema, XtfAggregateKind kind)
{
    unsigned i = 0;
    while (i < schema->n_aggregates && schema->aggregates[i].kind != kind)
        i++;
    bench_check(i < schema->n_aggregates, NULL, "%s has no totals of the kind", schema->name);
    return i;
}

static uint64_t sum_calls(const XtfArray *array, uint64_t lo, uint64_t hi, GError **error)
{
    unsigned index = aggregate_of_kind(array->schema, XTF_AGGREGATE_FRAMES);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[index], 1);
    uint64_t result = 0;

    bench_check(xtf_array_totals(array, index, NULL, lo, hi, totals, error), *error, "calls by region");
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        uint64_t begun = xtf_group_totals_cells(totals, i)[XTF_FRAMES_BEGUN];
        if (*xtf_group_totals_key(totals, i) != XTF_FRAMES_BEFORE)
            result += begun * begun;
    }
    return result;
}

static uint64_t sum_bytes(const XtfArray *array, uint64_t lo, uint64_t hi, GError **error)
{
    unsigned index = aggregate_of_kind(array->schema, XTF_AGGREGATE_GROUPS);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[index], 0);

    bench_check(xtf_array_totals(array, index, NULL, lo, hi, totals, error), *error, "bytes");
    return xtf_group_totals_n(totals) ? xtf_group_totals_cells(totals, 0)[1 + XTF_VALUE_SUM] : 0;
}

static uint64_t ask_xtf(void *self, const Question *question)
{
    XtfTrace *trace = self;
    const XtfSchema *schema = xtf_trace_find_schema(trace, question->kind == ASK_BYTES ? "sends" : "enters_leaves");
    g_autoptr(GError) error = NULL;
    uint64_t lo, hi;
    XtfArray array;
    bool found = false;

    bench_check(!schema || xtf_trace_find_array(trace, question->id, schema->id, &array, &found, &error), error,
                "array");
    if (!found)
        return 0;
    if (question->kind == ASK_ROWS) {
        bench_check(xtf_array_size_t(&array, question->from, question->to, &lo, &error), error, "count");
        return lo;
    }
    bench_check(xtf_array_rank(&array, question->from, &lo, &error) &&
                    xtf_array_rank(&array, question->to, &hi, &error),
                error, "rank");
    return question->kind == ASK_CALLS ? sum_calls(&array, lo, hi, &error) : sum_bytes(&array, lo, hi, &error);
}

static void close_xtf(void *self)
{
    xtf_trace_unref(self);
}

const Peer peer_xtf = {.name = "xtf", .open = open_xtf, .ask = ask_xtf, .close = close_xtf};
