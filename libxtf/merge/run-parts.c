/*
 * Runs that stay where they are: their files, tables and arrays in the anchor.
 */
#include "libxtf/merge/runs-private.h"
#include "libxtf/write/writer-private.h"

bool xtf_runs_name_parts(const XtfRunsJoin *runs, GError **error)
{
    xtf_writer_begin_anchor(runs->writer);
    for (size_t i = 0; i < runs->n; i++) {
        XtfRunPart *part = &runs->parts[i];
        if (!xtf_writer_add_part(runs->writer, part->run->trace, part->run->path, &part->anchor, error))
            return false;
    }
    return true;
}

/* Maps a table of the whole for all segments of a run that has it. */
static bool map_table(const XtfRunsJoin *runs, const XtfRunPart *part, uint32_t id, GError **error)
{
    XtfTrace *trace = part->run->trace;
    const XtfSchema *whole = runs->join->schemas->pdata[id];
    const XtfSchema *own = xtf_trace_find_schema(trace, whole->name);

    return !own || !part->final_rows[id] || runs->written[id] == XTF_NOT_WRITTEN ||
           xtf_writer_map_part_table(runs->writer, trace, &part->anchor, own->id, runs->written[id],
                                     part->final_rows[id], part->map.n_rows[id], error);
}

bool xtf_runs_map_tables(const XtfRunsJoin *runs, GError **error)
{
    for (size_t i = 0; i < runs->n; i++) /* the writer numbers the schemas that it gets in the order of the whole */
        for (uint32_t id = 0; id < runs->parts[i].map.n_whole; id++)
            if (!map_table(runs, &runs->parts[i], id, error))
                return false;
    return true;
}

/* ---- Arrays. */

static void add_shift(GArray *shifts, const XtfSchema *schema, const XtfField *field, uint64_t by)
{
    XtfDiskShift shift = {0};

    if (!field || by == 0)
        return;
    xtf_write32(&shift.field, (uint32_t)(field - schema->fields));
    xtf_write64(&shift.by, by);
    g_array_append_val(shifts, shift);
}

static int compare_shifts(const void *a, const void *b)
{
    const XtfDiskShift *left = a, *right = b;
    uint32_t x = xtf_read32(left->field), y = xtf_read32(right->field);

    return (x > y) - (x < y);
}

bool xtf_run_begin_piece(const XtfRunsJoin *runs, const XtfRunPart *part, const XtfArray *array,
                         const XtfAddedNumbers *added, XtfArrayWriter *to, GError **error)
{
    const XtfRunPlan *plan = &part->plans[array->schema->id];
    g_autoptr(GArray) shifts = g_array_new(FALSE, FALSE, sizeof(XtfDiskShift));
    XtfArray source = *array;

    for (guint i = 0; i < plan->shifts->len; i++) {
        const XtfFieldShift *shift = &g_array_index(plan->shifts, XtfFieldShift, i);
        add_shift(shifts, plan->schema, shift->field, shift->by);
    }
    add_shift(shifts, plan->schema, plan->seq, added->seq);
    add_shift(shifts, plan->schema, plan->message, added->message);
    g_array_sort(shifts, compare_shifts);
    source.schema = to->schema;
    source.segment = part->anchor.first_segment + array->segment;
    source.clock_map = 0;
    if (array->clock && !xtf_writer_add_clock_map(runs->writer, array->clock, &source.clock_map, error))
        return false;
    xtf_writer_clocks_keep(runs->writer, source.clock_map);
    return xtf_array_writer_begin_piece(to, &source, shifts, error);
}
