#include "src/pictures/frames/task-arrows.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/model/schemas.h"
#include "src/tables/totals/sample-growth.h"
#include "src/tables/totals/selected-locations.h"

static const char kind_exported[] = "exported", kind_imported[] = "imported", kind_message[] = "message";

enum { BYTES_SENT, MESSAGES_SENT, BYTES_RECEIVED, MESSAGES_RECEIVED };
static const char *const message_fields[] = {"bytes_sent", "messages_sent", "bytes_received", "messages_received",
                                             NULL};
static const char *const move_fields[] = {"count", NULL};

typedef struct {
    XtfSamples moves, kinds, totals;
    bool has_moves, has_kinds, has_totals;
    unsigned direction, kind;        /* indices of the aggregates' keys */
    const XtfTable *kind_names;      /* NULL: kinds have no names */
    const XtfField *kind_name_field; /* field of the names; set if kind_names is */
    XtfTrace *trace;
    /* The process whose arrows are being added, and the output. */
    uint64_t proc;
    char letter;
    GArray *arrows;
    GError *error; /* error of a name that could not be read */
} Sampled;

static unsigned find_key(const XtfSamples *samples, const char *field)
{
    for (unsigned i = 0; i < samples->ref.aggregate->n_keys; i++)
        if (g_str_equal(xtf_aggregate_ref_key(&samples->ref, i)->name, field))
            return i;
    return XTF_KEY_NONE;
}

static bool find_samples(Sampled *sampled, const XtfTraceContext *context)
{
    sampled->has_moves =
        xtf_samples_init(&sampled->moves, context, xtf_model_schema(XTF_MODEL_TASK_MOVES)->name, move_fields);
    if (sampled->has_moves) {
        sampled->direction = find_key(&sampled->moves, "direction");
        sampled->has_moves = sampled->direction != XTF_KEY_NONE && sampled->moves.ref.peer != XTF_KEY_NONE;
    }
    sampled->has_kinds =
        xtf_samples_init(&sampled->kinds, context, xtf_model_schema(XTF_MODEL_MESSAGE_KINDS)->name, message_fields);
    if (sampled->has_kinds) {
        sampled->kind = find_key(&sampled->kinds, "kind");
        sampled->has_kinds = sampled->kind != XTF_KEY_NONE;
    }
    sampled->has_totals =
        xtf_samples_init(&sampled->totals, context, xtf_model_schema(XTF_MODEL_MESSAGE_TOTALS)->name, message_fields);
    return sampled->has_moves || sampled->has_kinds || sampled->has_totals;
}

bool xtf_task_arrows_exist(const XtfTraceContext *context)
{
    Sampled sampled = {0};

    return find_samples(&sampled, context);
}

/* ---- Groups. */

static void add_arrow(Sampled *sampled, const XtfArrow *arrow)
{
    if (arrow->count || arrow->bytes)
        g_array_append_vals(sampled->arrows, arrow, 1);
}

static void add_move(const uint64_t *key, const uint64_t *growth, void *data)
{
    Sampled *sampled = data;
    uint64_t peer = key[sampled->moves.ref.peer];
    bool is_import = key[sampled->direction] == XTF_MOVE_FROM;
    const XtfArrow arrow = {.kind = is_import ? kind_imported : kind_exported,
                            .from = is_import ? peer : sampled->proc,
                            .to = is_import ? sampled->proc : peer,
                            .has_to = true,
                            .count = growth[0],
                            .is_tasks = true};

    if (sampled->letter == 'a' || sampled->letter == (is_import ? 'i' : 'e'))
        add_arrow(sampled, &arrow);
}

/* Returns the name of a kind of messages; "?" if the trace has none. Stores an error in sampled->error. */
static const char *read_kind_name(Sampled *sampled, uint64_t kind)
{
    const XtfTable *table = sampled->kind_names;
    const char *name;

    if (!table || !sampled->kind_name_field || kind >= table->n_rows)
        return "?";
    uint64_t string = xtf_field_get(sampled->kind_name_field, table->rows + kind * table->schema->row_size);
    if (sampled->error || !xtf_trace_string(sampled->trace, (uint32_t)string, &name, &sampled->error))
        return "?";
    return *name ? name : "?";
}

static void add_kind(const uint64_t *key, const uint64_t *growth, void *data)
{
    Sampled *sampled = data;
    const XtfArrow arrow = {.kind = read_kind_name(sampled, key[sampled->kind]),
                            .from = sampled->proc,
                            .count = growth[MESSAGES_SENT],
                            .bytes = growth[BYTES_SENT]};

    if ((sampled->letter == 'c' && !g_str_equal(arrow.kind, "ctrl")) ||
        (sampled->letter == 'd' && !g_str_equal(arrow.kind, "data")))
        return;
    add_arrow(sampled, &arrow);
}

static void add_sent(const uint64_t *key, const uint64_t *growth, void *data)
{
    Sampled *sampled = data;
    const XtfArrow arrow = {
        .kind = kind_message, .from = sampled->proc, .count = growth[MESSAGES_SENT], .bytes = growth[BYTES_SENT]};

    add_arrow(sampled, &arrow);
}

static void add_received(const uint64_t *key, const uint64_t *growth, void *data)
{
    Sampled *sampled = data;
    const XtfArrow arrow = {.kind = kind_message,
                            .no_from = true,
                            .to = sampled->proc,
                            .has_to = true,
                            .count = growth[MESSAGES_RECEIVED],
                            .bytes = growth[BYTES_RECEIVED]};

    add_arrow(sampled, &arrow);
}

/* ---- All arrows of a letter. */

static bool add_location_arrows(Sampled *sampled, const XtfLocationArrays *arrays, const XtfSelection *selection,
                                GError **error)
{
    uint64_t from = selection->time_from, to = selection->time_to;
    bool all_kinds = strchr("am", sampled->letter) != NULL;
    /* Without kinds, the totals of all messages serve. */
    bool sent = sampled->letter == 's' || (all_kinds && !sampled->has_kinds);

    return (!sampled->has_moves || !strchr("aei", sampled->letter) ||
            xtf_samples_growth(&sampled->moves, arrays, from, to, add_move, sampled, error)) &&
           (!sampled->has_kinds || !(all_kinds || strchr("cd", sampled->letter)) ||
            xtf_samples_growth(&sampled->kinds, arrays, from, to, add_kind, sampled, error)) &&
           (!sampled->has_totals || !sent ||
            xtf_samples_growth(&sampled->totals, arrays, from, to, add_sent, sampled, error)) &&
           (!sampled->has_totals || sampled->letter != 'r' ||
            xtf_samples_growth(&sampled->totals, arrays, from, to, add_received, sampled, error));
}

bool xtf_task_arrows_find(XtfTraceContext *context, const XtfSelection *selection, char letter, GArray *arrows,
                          GError **error)
{
    Sampled sampled = {.trace = context->trace, .letter = letter, .arrows = arrows};
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfLocationArrays) loaded = {0};

    if (!find_samples(&sampled, context))
        return true;
    if (!xtf_trace_table(context->trace, XTF_TABLE_MESSAGE_TYPES, &sampled.kind_names, error) ||
        !xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    if (sampled.kind_names)
        sampled.kind_name_field = xtf_schema_field(sampled.kind_names->schema, "name");
    for (uint32_t i = 0; i < selected.n; i++) {
        const XtfLocation *location = xtf_selected_location(&selected, i);
        sampled.proc = location->proc;
        bool good = xtf_location_arrays_load(&loaded, context, location, error) &&
                    add_location_arrows(&sampled, &loaded, selection, error);
        if (good && sampled.error)
            g_propagate_error(error, g_steal_pointer(&sampled.error));
        else if (good)
            continue;
        g_clear_error(&sampled.error);
        return false;
    }
    return true;
}
