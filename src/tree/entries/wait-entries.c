#include "src/tree/entries/wait-entries.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"
#include "src/tables/totals/waits/wait-causes.h"
#include "src/tables/totals/waits/wait-rows.h"
#include "src/trace/select/location-arrays.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/lines.h"
#include "src/tree/entries/call-entries.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("cost", XTF_COLUMN_TIME, NULL, "part of the wait that the call path caused"),
    XTF_COLUMN("cost%", XTF_COLUMN_PERCENT, NULL, "share of the wait"),
    XTF_COLUMN("steps", XTF_COLUMN_NUMBER, NULL, "waits that passed the cost on, 0 for the culprit"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process that was late"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread that was late"),
    XTF_COLUMN("context", XTF_COLUMN_NUMBER, NULL, "row of the call path in definitions/contexts"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "region of the call path"),
};

const XtfTableDeclaration xtf_table_causes = XTF_TABLE("num/K/causes", "call paths that caused the wait", columns);

#define CAUSES    "causes"
#define ONE_SIDED "rma_collectives" /* records of collective operations of one-sided communication */

enum {
    PERCENT_WIDTH = 6, /* "100.00" */
};

/* Names of the links that a row's directory may have. */
static const char *const names[] = {"cause", "culprit", "culprit_met", "event", "match", "met", NULL};

bool xtf_wait_entry_has(const char *name)
{
    return g_strv_contains(names, name) || g_str_equal(name, CAUSES);
}

bool xtf_wait_entries_are_of(const XtfSpan *span)
{
    return span->array.schema->kind == XTF_SCHEMA_DERIVED;
}

typedef struct {
    XtfNode *directory;
    const XtfSpan *span;
    const XtfLocations *locations;
    uint8_t row[XTF_ROW_MAX];
} Row;

static bool load_row(Row *row, XtfNode *directory, const XtfSpan *span, GError **error)
{
    row->directory = directory;
    row->span = span;
    row->locations = xtf_trace_context_locations(&directory->tree->context, error);
    return row->locations && xtf_array_row(&span->array, span->lo, row->row, error);
}

/* Reads the value of a field. Returns false if the row has none. */
static bool row_value(const Row *row, const char *name, uint64_t *value)
{
    const XtfField *field = xtf_schema_field(row->span->array.schema, name);

    if (!field || xtf_type_width(field->type) == 0 || xtf_field_is_none(field, row->row))
        return false;
    *value = xtf_field_get(field, row->row);
    return true;
}

static bool has_causes(const Row *row)
{
    return g_str_equal(row->span->array.schema->name, XTF_DERIVED_WAITS);
}

/* ---- Targets of links: a location, and a row of one of its arrays. */

typedef struct {
    uint32_t location; /* an index in XtfLocations */
    const char *type;  /* NULL: the location itself */
    uint64_t row;
} Place;

static bool find_culprit(const Row *row, Place *place)
{
    uint64_t proc, thread;

    place->type = NULL;
    return row_value(row, "culprit", &proc) && row_value(row, "culprit_thread", &thread) &&
           xtf_locations_find(row->locations, proc, thread, &place->location);
}

/* Finds the row that `field` names in an array of the culprit's location. *found is false if there is no such row. */
static bool find_culprit_row(const Row *row, const char *type, const char *field, Place *place, bool *found,
                             GError **error)
{
    XtfTrace *trace = row->directory->tree->trace;
    const XtfSchema *schema = type ? xtf_trace_find_schema(trace, type) : NULL;
    XtfArray array;

    *found = schema && find_culprit(row, place) && row_value(row, field, &place->row);
    if (!*found)
        return true;
    place->type = row->directory->tree->context.type_names[schema->id];
    if (!xtf_trace_find_array(trace, row->locations->all[place->location].id, schema->id, &array, found, error))
        return false;
    *found = *found && place->row < array.n_rows;
    return true;
}

/* Returns the record type that `match` leads to: docs/VOCABULARY.md, section 9. */
static const char *match_type(const Row *row)
{
    const XtfField *event = xtf_schema_field_by_role(row->span->array.schema, XTF_ROLE_EVENT);
    const XtfWaitKind *kind = xtf_wait_kind_named(xtf_row_label(event, row->row));

    return kind ? kind->match : NULL;
}

/* Finds the row of an array that has a seq. In each array of a location, seqs increase. */
static bool find_seq(const XtfArray *array, uint64_t seq, uint64_t *n, bool *found, GError **error)
{
    const XtfField *field = xtf_schema_field_by_role(array->schema, XTF_ROLE_SEQ);
    uint8_t row[XTF_ROW_MAX];
    XtfSpan span;

    *found = false;
    if (!field)
        return true;
    xtf_span_init(&span, array);
    if (!xtf_span_rank_of_seq(&span, seq, 0, array->n_rows, n, error))
        return false;
    if (*n == array->n_rows)
        return true;
    if (!xtf_array_row(array, *n, row, error))
        return false;
    *found = xtf_field_get(field, row) == seq;
    return true;
}

/* Finds a record of a location by its seq. */
static bool find_record(const Row *row, uint32_t location, uint64_t seq, Place *place, bool *found, GError **error)
{
    const XtfTraceContext *context = &row->directory->tree->context;
    g_auto(XtfLocationArrays) arrays = {0};

    *found = false;
    place->location = location;
    if (!xtf_location_arrays_load(&arrays, context, &row->locations->all[location], error))
        return false;
    for (uint32_t i = 0; i < arrays.n && !*found; i++) {
        const XtfSchema *schema = arrays.all[i].schema;
        if (schema->kind != XTF_SCHEMA_RECORD)
            continue;
        if (!find_seq(&arrays.all[i], seq, &place->row, found, error))
            return false;
        place->type = context->type_names[schema->id];
    }
    return true;
}

/* Finds the record of the row's own location that has the row's seq. */
static bool find_event(const Row *row, Place *place, bool *found, GError **error)
{
    const XtfField *field = xtf_schema_field_by_role(row->span->array.schema, XTF_ROLE_SEQ);

    *found = false;
    return !field || find_record(row, row->span->tag, xtf_field_get(field, row->row), place, found, error);
}

/* Finds the previous point where both sides met: its record on the row's own location if `own`, else on the culprit's.
 */
static bool find_meeting(const Row *row, bool own, Place *place, bool *found, GError **error)
{
    XtfTraceContext *context = &row->directory->tree->context;
    uint32_t location = row->span->tag;
    bool known = false;
    XtfWaitRow wait;

    *found = false;
    if (!has_causes(row))
        return true;
    if (!xtf_wait_row_read(&row->span->array, row->span->lo, &wait, error))
        return false;
    uint64_t seq = wait.seq, back = own ? wait.met.back : wait.culprit_met.back;
    if (!xtf_wait_row_has_causes(&wait))
        return true;
    if (!own && !xtf_wait_row_culprit(&wait, row->span->tag, context, row->locations, &location, &seq, &known, error))
        return false;
    return (!own && !known) || back == 0 || back > seq || find_record(row, location, seq - back, place, found, error);
}

/* Finds the record that was late. In a collective operation, it has the same type as the row's own event. */
static bool find_match(const Row *row, Place *place, bool *found, GError **error)
{
    const char *type = match_type(row);
    Place event;

    if (type && g_str_equal(type, XTF_RECORD_COLLECTIVES)) {
        if (!find_event(row, &event, found, error))
            return false;
        type = *found && g_str_equal(event.type, ONE_SIDED) ? ONE_SIDED : type;
    }
    return find_culprit_row(row, type, "match", place, found, error);
}

/* Finds the path that a link leads to. *target is NULL if the link has no target. */
static bool find_link_path(const Row *row, const char *name, char **target, GError **error)
{
    bool found, good = true;
    Place place;

    *target = NULL;
    if (g_str_equal(name, "event"))
        good = find_event(row, &place, &found, error);
    else if (g_str_equal(name, "met") || g_str_equal(name, "culprit_met"))
        good = find_meeting(row, g_str_equal(name, "met"), &place, &found, error);
    else if (g_str_equal(name, "culprit"))
        found = find_culprit(row, &place);
    else if (g_str_equal(name, "cause"))
        good = find_culprit_row(row, row->span->array.schema->name, "cause", &place, &found, error);
    else
        good = find_match(row, &place, &found, error);
    return good && (!found || xtf_location_path(row->directory, place.location, place.type, place.row, target, error));
}

/* ---- causes */

typedef struct {
    const XtfLocations *locations;
    const XtfPaddedNames *regions;
    uint64_t amount; /* of the wait, in ticks */
} CausesShown;

static void add_cause(const XtfWaitCause *cause, const CausesShown *shown, XtfLines *lines)
{
    const XtfLocation *location = &shown->locations->all[cause->location];
    const XtfPaddedNames *regions = shown->regions;

    xtf_lines_ticks(lines, cause->cost);
    xtf_lines_percent(lines, cause->cost, shown->amount);
    xtf_lines_number(lines, cause->steps);
    xtf_lines_number(lines, location->proc);
    xtf_lines_number(lines, location->thread);
    xtf_lines_number_if(lines, cause->callpath != UINT64_MAX, cause->callpath);
    if (regions && cause->region < regions->n)
        xtf_lines_padded_name(lines, regions, cause->region);
    else
        xtf_lines_none(lines);
}

/* Adds a line for the time that no call path is charged with. With it, all lines add up to the wait. */
static void add_unexplained(uint64_t ticks, const CausesShown *shown, XtfLines *lines)
{
    enum { EMPTY_COLUMNS = 5 };

    xtf_lines_ticks(lines, ticks);
    xtf_lines_percent(lines, ticks, shown->amount);
    for (unsigned i = 0; i < EMPTY_COLUMNS; i++)
        xtf_lines_none(lines);
}

/* Makes a line for each charged call path of a location, in descending order of cost, and a last line for unexplained
 * time. */
static bool causes_table(XtfNode *file, XtfTableOutput *output, GError **error)
{
    XtfTree *tree = file->tree;
    XtfGrid *grid = &output->grid;
    g_auto(XtfWaitCauses) causes = {0};
    CausesShown shown = {.locations = xtf_trace_context_locations(&tree->context, error)};
    uint64_t most_steps = 0, widest = 0;

    if (!shown.locations ||
        !xtf_wait_causes_find(&causes, &tree->context, (uint32_t)file->member.location, file->member.row, error) ||
        !xtf_padded_names_of_table(&tree->formats, XTF_TABLE_REGIONS, &shown.regions, error))
        return false;
    shown.amount = causes.amount;
    for (uint32_t i = 0; i < causes.n; i++) {
        most_steps = MAX(most_steps, causes.causes[i].steps);
        widest = causes.causes[i].callpath == UINT64_MAX ? widest : MAX(widest, causes.causes[i].callpath);
    }
    xtf_grid_init(grid, &xtf_table_causes);
    xtf_grid_add(grid, "cost", xtf_ticks_width(&tree->context.scale, causes.amount));
    xtf_grid_add(grid, "cost%", PERCENT_WIDTH);
    xtf_grid_add(grid, "steps", xtf_count_digits(most_steps));
    xtf_grid_add(grid, "proc", shown.locations->proc_width);
    xtf_grid_add(grid, "thread", shown.locations->thread_width);
    xtf_grid_add(grid, "context", xtf_count_digits(widest));
    xtf_grid_add(grid, "region", shown.regions ? shown.regions->width : 1);
    XtfLines *lines = xtf_table_output_begin(output, &tree->context.scale);
    for (uint32_t i = 0; i < causes.n; i++)
        add_cause(&causes.causes[i], &shown, lines);
    if (causes.unexplained > 0)
        add_unexplained(causes.unexplained, &shown, lines);
    return xtf_lines_finish(lines, error);
}

static XtfNode *new_causes_file(const Row *row, GError **error)
{
    static const XtfNodeClass causes_file = {.kind = XTF_NODE_FILE, .table = causes_table, .keeps = true};
    XtfNode *node = xtf_node_new(row->directory, &causes_file);

    node->member.location = row->span->tag;
    node->member.row = row->span->lo;
    return xtf_node_with_size(node, error);
}

/* ---- Entries. */

XtfNode *xtf_wait_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error)
{
    char *target;
    Row row;

    if (!load_row(&row, directory, span, error))
        return NULL;
    if (g_str_equal(name, CAUSES))
        return has_causes(&row) ? new_causes_file(&row, error) : xtf_no_such(name, error);
    if (!find_link_path(&row, name, &target, error))
        return NULL;
    return target ? xtf_node_new_link(directory, target) : xtf_no_such(name, error);
}

bool xtf_wait_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error)
{
    Row row;

    if (!load_row(&row, directory, span, error))
        return false;
    for (const char *const *name = names; *name; name++) {
        g_autofree char *target = NULL;
        if (!find_link_path(&row, *name, &target, error))
            return false;
        if (target)
            xtf_lister_show(lister, *name, XTF_NODE_LINK);
    }
    if (has_causes(&row))
        xtf_lister_show(lister, CAUSES, XTF_NODE_FILE);
    return true;
}
