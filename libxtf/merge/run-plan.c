#include "libxtf/merge/runs-private.h"
#include "libxtf/references.h"
#include "libxtf/vocabulary.h"

/* Returns the map of a run's row numbers of a table; false if the whole has no such table. */
static bool find_numbers(const XtfRunsJoin *runs, const XtfRunPart *part, const char *name, XtfNumberMap *numbers)
{
    const XtfJoinedTable *table = xtf_join_find_table(runs->join, name);
    uint32_t id = table ? table->schema->id : 0;

    if (!table)
        return false;
    *numbers = (XtfNumberMap){.n_all = table->n_rows};
    if (id < part->map.n_whole && part->final_rows[id]) {
        numbers->rows = part->final_rows[id];
        numbers->n = part->map.n_rows[id];
    }
    return true;
}

static void add_references(const XtfRunsJoin *runs, const XtfRunPart *part, XtfRunPlan *plan)
{
    g_autoptr(GArray) references = xtf_schema_references(plan->schema);

    plan->map = g_malloc0(sizeof *plan->map + references->len * sizeof *plan->map->fields);
    plan->map->schema = plan->schema;
    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        XtfFieldMap *field = &plan->map->fields[plan->map->n];
        *field = (XtfFieldMap){.field = reference->field, .chooser = reference->chooser, .choice = reference->choice};
        if (reference->table && find_numbers(runs, part, reference->table, &field->numbers))
            plan->map->n++;
    }
    for (guint i = references->len; i > 0; i--)
        if (xtf_reference_at(references, i - 1)->table)
            g_array_remove_index(references, i - 1);
    plan->strings = g_steal_pointer(&references);
}

static void add_shifts(const XtfRunsJoin *runs, const XtfRunPart *part, XtfRunPlan *plan)
{
    plan->shifts = g_array_new(FALSE, FALSE, sizeof(XtfFieldShift));
    for (size_t i = 0; i < runs->options->n_numbers; i++) {
        const XtfNumberShift *shift = &part->shifts[i];
        const XtfField *field =
            g_str_equal(shift->schema, plan->schema->name) ? xtf_schema_field(plan->schema, shift->field) : NULL;
        if (field && shift->by > 0)
            g_array_append_val(plan->shifts, ((XtfFieldShift){field, shift->by}));
    }
}

/* Finds the schema whose rows a side row numbers by its `message`. */
static void find_message(const XtfRunPart *part, XtfRunPlan *plan)
{
    const char *name = g_str_equal(plan->schema->name, XTF_SIDE_POSTINGS)    ? XTF_RECORD_RECVS
                       : g_str_equal(plan->schema->name, XTF_SIDE_CANCELLED) ? XTF_RECORD_SENDS
                                                                             : NULL;
    const XtfSchema *target = name ? xtf_trace_find_schema(part->run->trace, name) : NULL;

    plan->message = target ? xtf_schema_field_by_role(plan->schema, XTF_ROLE_MESSAGE) : NULL;
    plan->message_schema = target ? part->map.schemas[target->id] : 0;
}

static int find_frames(const XtfSchema *schema)
{
    for (uint32_t i = 0; i < schema->n_aggregates; i++)
        if (schema->aggregates[i].kind == XTF_AGGREGATE_FRAMES)
            return (int)i;
    return -1;
}

void xtf_run_make_plans(const XtfRunsJoin *runs, XtfRunPart *part)
{
    uint32_t n = xtf_trace_n_schemas(part->run->trace);

    part->plans = g_new0(XtfRunPlan, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const XtfSchema *schema = xtf_trace_schema(part->run->trace, i);
        XtfRunPlan *plan = &part->plans[i];
        uint32_t id = part->map.schemas[i];
        if (schema->kind == XTF_SCHEMA_TABLE || runs->written[id] == XTF_NOT_WRITTEN)
            continue;
        *plan = (XtfRunPlan){.schema = schema, .id = id, .frames = find_frames(schema)};
        plan->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
        find_message(part, plan);
        add_references(runs, part, plan);
        add_shifts(runs, part, plan);
    }
}

void xtf_run_plan_finish(XtfRunPlan *plan)
{
    g_free(plan->map);
    g_clear_pointer(&plan->strings, g_array_unref);
    g_clear_pointer(&plan->shifts, g_array_unref);
}
