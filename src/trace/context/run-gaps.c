#include "src/trace/context/run-gaps.h"

#include "libxtf/trace.h"
#include "src/model/tables.h"

bool xtf_run_gaps_load(XtfRunGaps *gaps, XtfTrace *trace, GError **error)
{
    const XtfTable *table;
    uint64_t end = 0;

    *gaps = (XtfRunGaps){0};
    if (!xtf_trace_table(trace, XTF_TABLE_RUNS, &table, error))
        return false;
    const XtfField *first = table ? xtf_schema_field(table->schema, "first") : NULL;
    const XtfField *last = table ? xtf_schema_field(table->schema, "last") : NULL;
    if (!first || !last || table->n_rows > UINT32_MAX)
        return true;
    gaps->all = g_new(XtfRunGap, table->n_rows + 1);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        uint64_t begin = xtf_field_get(first, row), until = xtf_field_get(last, row);
        if (until < begin || (end > 0 && begin <= end))
            continue;
        if (end > 0)
            gaps->all[gaps->n++] = (XtfRunGap){end, begin};
        end = until;
    }
    return true;
}

void xtf_run_gaps_finish(XtfRunGaps *gaps)
{
    g_clear_pointer(&gaps->all, g_free);
    gaps->n = 0;
}

uint64_t xtf_run_gaps_ticks(const XtfRunGaps *gaps, uint64_t from, uint64_t to)
{
    uint64_t ticks = 0;

    for (uint32_t i = 0; i < gaps->n; i++) {
        uint64_t end = MAX(gaps->all[i].end, from), begin = MIN(gaps->all[i].begin, to);
        ticks += begin > end ? begin - end : 0;
    }
    return ticks;
}

XtfRunWindow xtf_run_window(const XtfRunGaps *gaps, uint32_t number)
{
    return (XtfRunWindow){.from = number > 0 ? xtf_run_gap_middle(&gaps->all[number - 1]) : 0,
                          .to = number < gaps->n ? xtf_run_gap_middle(&gaps->all[number]) : 0};
}

bool xtf_run_window_rows(const XtfRunWindow *window, const XtfArray *array, uint64_t *begin, uint64_t *end,
                         GError **error)
{
    *begin = 0;
    *end = array->n_rows;
    return ((window->from <= array->first && array->kept == 0) || xtf_array_rank(array, window->from, begin, error)) &&
           (window->to == 0 || window->to > array->last || xtf_array_rank(array, window->to, end, error));
}

bool xtf_run_window_times(const XtfRunWindow *window, const XtfArray *array, uint64_t *first, uint64_t *last, bool *any,
                          GError **error)
{
    uint64_t begin, end;

    if (!xtf_run_window_rows(window, array, &begin, &end, error))
        return false;
    *any = begin < end;
    *first = array->first;
    *last = array->last;
    return !*any || ((begin == 0 || xtf_array_time(array, begin, first, error)) &&
                     (end == array->n_rows || xtf_array_time(array, end - 1, last, error)));
}
