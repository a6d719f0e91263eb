/*
 * totals of waits/: the number of waits and their time, in one line.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/waits/kind-totals.h"
#include "src/tables/totals/waits/lasting-bins.h"
#include "src/tables/views/totals.h"
#include "src/trace/select/parallel.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("waits", XTF_COLUMN_NUMBER, NULL, "number of waits"),
    XTF_COLUMN("amount", XTF_COLUMN_TIME, NULL, "total time of the waits"),
    XTF_COLUMN("indirect", XTF_COLUMN_TIME, NULL, "part of the amount that other waits caused"),
    XTF_COLUMN("propagating", XTF_COLUMN_TIME, NULL, "part of the amount that caused other waits"),
};

enum {
    VALUES = 3,
    LOCATIONS_AT_ONCE = 64, /* most locations in a batch of a thread */
    LEAST_TURNS = 16,       /* least number of batches, which shrinks the batches of few locations */
};

static const char *const names[VALUES + 1] = {"amount", "indirect", "propagating"};

static bool find_wait_aggregate(XtfAggregateRef *ref, const XtfTraceContext *context, const XtfSelection *selection)
{
    static const char *const keys[] = {NULL};
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_DERIVED_WAITS);
    const XtfAggregateNeed need = {keys, names};

    *ref = (XtfAggregateRef){0};
    return schema && schema->kind == XTF_SCHEMA_DERIVED && selection->type == schema->id && !selection->base &&
           xtf_aggregate_choose(ref, schema, selection, &need);
}

static bool totals_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef ref;
    return find_wait_aggregate(&ref, context, selection);
}

static bool shape_totals(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    XtfAggregateRef ref;
    size_t ticks;

    find_wait_aggregate(&ref, views->context, selection);
    if (!xtf_kind_ticks_width(views->context, &ticks, error))
        return false;
    shape->n_lines = shape->at_once = 1;
    xtf_grid_add(&shape->grid, "waits", xtf_aggregate_ref_rows_width(&ref, views->context));
    for (unsigned i = 0; i < VALUES; i++)
        xtf_grid_add(&shape->grid, names[i], ticks);
    return true;
}

/* ---- Sums, by several threads. */

/* Input and result, shared by all threads. */
typedef struct {
    XtfTraceContext *context;
    XtfAggregateRef ref;
    const XtfTimeBins *bins;
    XtfSelectedLocations selected;
    XtfLastingTotals lasting; /* template without groups: each thread has a copy */
    XtfLastingBins asked;
    XtfLastingBin *sums;
} Question;

static void question_clear(Question *question)
{
    xtf_selected_locations_finish(&question->selected);
    xtf_lasting_totals_finish(&question->lasting);
    g_free(question->sums);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

typedef struct {
    XtfLastingTotals lasting;
    XtfLocationArrays arrays;
    XtfLastingBin *sums;
} ThreadSums;

static void *begin_thread(void *data)
{
    const Question *question = data;
    ThreadSums *thread_sums = g_new0(ThreadSums, 1);

    xtf_lasting_totals_init_more(&thread_sums->lasting, &question->lasting);
    thread_sums->sums = g_new0(XtfLastingBin, question->bins->n);
    return thread_sums;
}

static bool add_waits_of_locations(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Question *question = data;
    ThreadSums *thread_sums = thread_data;

    for (uint32_t i = first; i < end; i++) {
        const XtfLocation *location = xtf_selected_location(&question->selected, i);
        if (!xtf_location_arrays_load(&thread_sums->arrays, question->context, location, error))
            return false;
        const XtfArray *array = xtf_location_arrays_find(&thread_sums->arrays, question->ref.schema);
        if (array && !xtf_lasting_bins_add(&question->asked, &thread_sums->lasting, array, location->proc,
                                           thread_sums->sums, error))
            return false;
    }
    return true;
}

static void join_sums(void *thread_data, void *data)
{
    Question *question = data;
    ThreadSums *thread_sums = thread_data;

    for (uint64_t i = 0; i < question->bins->n; i++) {
        question->sums[i].rows += thread_sums->sums[i].rows;
        for (unsigned v = 0; v < VALUES; v++)
            question->sums[i].values[v] += thread_sums->sums[i].values[v];
    }
    xtf_lasting_totals_finish(&thread_sums->lasting);
    xtf_location_arrays_finish(&thread_sums->arrays);
    g_free(thread_sums->sums);
    g_free(thread_sums);
}

static bool fill_totals(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, GError **error)
{
    g_auto(Question) question = {.context = views->context, .bins = bins};
    XtfParallelWork work = {.begin = begin_thread, .work = add_waits_of_locations, .join = join_sums};
    XtfSelection *selection = bins->selection;

    find_wait_aggregate(&question.ref, views->context, selection);
    question.sums = g_new0(XtfLastingBin, bins->n);
    question.asked = (XtfLastingBins){.bins = bins, .n_values = VALUES};
    for (unsigned v = 0; v < VALUES; v++)
        question.asked.cells[v] = xtf_aggregate_ref_cell(&question.ref, names[v]);
    if (!xtf_selected_locations_init(&question.selected, views->context, selection, error) ||
        !xtf_lasting_totals_init(&question.lasting, views->context, selection, &question.ref, 0, "amount", error))
        return false;
    work.step = CLAMP(question.selected.n / LEAST_TURNS, 1, LOCATIONS_AT_ONCE);
    if (!xtf_parallel(&work, &question, question.selected.n, error))
        return false;
    for (uint64_t i = 0; i < bins->n; i++) {
        xtf_lines_number(lines, question.sums[i].rows);
        for (unsigned v = 0; v < VALUES; v++)
            xtf_lines_ticks(lines, question.sums[i].values[v]);
    }
    return true;
}

const XtfView xtf_view_totals_of_waits = {.table =
                                              XTF_TABLE("totals", "one line: number and time of all waits", columns),
                                          .subject = &xtf_about_waits,
                                          .exists = totals_exist,
                                          .shape = shape_totals,
                                          .fill_bins = fill_totals};
