#include "src/tree/entries/call-entries.h"

#include <inttypes.h>

#include "src/trace/calls/call-readers.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/tree/entries/found-record.h"
#include "src/tree/records/record-values.h"

enum {
    CHILDREN_MAX = 65536, /* most lines of `children` */
};

static const char *const names[] = {"children", "inside", "leave", "parent", NULL};

bool xtf_call_entry_has(const char *name)
{
    return g_strv_contains(names, name);
}

/* ---- Paths. */

/* Returns the path from the directory up to the root and down to the location. Returns NULL if another location has the
 * same process and thread number. */
static GString *find_location_path(const XtfNode *directory, const XtfLocations *locations, uint32_t index)
{
    const XtfLocation *location = &locations->all[index];

    for (uint32_t i = index - MIN(index, 1); i <= index + 1 && i < locations->n; i++)
        if (i != index && locations->all[i].proc == location->proc && locations->all[i].thread == location->thread)
            return NULL;
    GString *path = g_string_new(NULL);
    for (uint32_t i = 0; i < directory->depth; i++)
        g_string_append(path, "../");
    g_string_append_printf(path, "proc/%" PRIu64 "/thread/%" PRIu64, location->proc, location->thread);
    return path;
}

bool xtf_location_path(XtfNode *directory, uint32_t location, const char *type, uint64_t n, char **target,
                       GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);

    *target = NULL;
    if (!locations)
        return false;
    GString *path = find_location_path(directory, locations, location);
    if (!path)
        return true;
    if (type)
        g_string_append_printf(path, "/%s/num/%" PRIu64, type, n);
    *target = g_string_free(path, FALSE);
    return true;
}

/* ---- The call and the other calls of its location. */

typedef struct {
    XtfNode *directory;
    const XtfSpan *span;
    unsigned frames; /* number of the aggregate of frames */
    XtfCallReaders *readers;
    XtfFrameReader *reader;
    XtfFrameTimes times;
} Call;

static void call_finish(Call *call)
{
    xtf_call_readers_free(call->readers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Call, call_finish)

static bool find_call(XtfNode *directory, const XtfSpan *span, Call *call, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfAggregateRef frames;

    if (!locations)
        return false;
    xtf_aggregate_ref_frames(&frames, context);
    call->directory = directory;
    call->span = span;
    call->frames = frames.number;
    call->readers = xtf_call_readers_new(context, locations);
    call->reader = xtf_call_readers_get(call->readers, span, error);
    return call->reader && xtf_frame_reader_find(call->reader, span->lo, &call->times, error);
}

/* Counts the calls of the location that rows before row n enter. */
static bool count_calls_before(const Call *call, uint64_t n, uint64_t *number, GError **error)
{
    const XtfGroupFilter enters = {.begins_only = true};
    return xtf_array_group_rank(&call->span->array, call->frames, &enters, n, number, error);
}

/* Finds the row that enters the surrounding call. */
static bool find_parent(const Call *call, uint64_t *row, bool *found, GError **error)
{
    const XtfArray *array = &call->span->array;
    const XtfAggregate *aggregate = &array->schema->aggregates[call->frames];
    g_autofree uint8_t *enter = g_malloc(array->schema->row_size);
    uint64_t n = call->span->lo, end;

    *found = false;
    if (!xtf_array_row(array, n, enter, error))
        return false;
    uint64_t back = xtf_field_get(&array->schema->fields[aggregate->values[1]], enter);
    if (!back || back > n)
        return true;
    *row = n - back;
    if (!xtf_array_row(array, *row, enter, error))
        return false;
    if (xtf_field_get(&array->schema->fields[aggregate->values[0]], enter) != 0)
        return true;
    if (!xtf_array_frame_end(array, call->frames, *row, &end, error))
        return false;
    *found = end > n;
    return true;
}

/* ---- Entries. */

static XtfNode *new_call_link(const Call *call, const char *type, uint64_t n, const char *name, GError **error)
{
    char *path;

    if (!xtf_location_path(call->directory, call->span->tag, type, n, &path, error))
        return NULL;
    return path ? xtf_node_new_link(call->directory, path) : xtf_no_such(name, error);
}

static XtfNode *new_parent_link(const Call *call, const char *name, GError **error)
{
    uint64_t row, number;
    bool found;

    if (!find_parent(call, &row, &found, error))
        return NULL;
    if (!found)
        return xtf_no_such(name, error);
    return count_calls_before(call, row, &number, error) ? new_call_link(call, "calls", number, name, error) : NULL;
}

static XtfNode *new_leave_link(const Call *call, const char *name, GError **error)
{
    const XtfTraceContext *context = &call->directory->tree->context;

    if (call->times.ending != XTF_FRAME_LEFT)
        return xtf_no_such(name, error);
    return new_call_link(call, context->type_names[context->enters_leaves], call->times.span.end_row, name, error);
}

/* Links to the calls entered between the call's ENTER and its end. They are consecutive among the location's calls. */
static XtfNode *new_inside_link(const Call *call, const char *name, GError **error)
{
    uint64_t from, to;
    char *path;

    if (!count_calls_before(call, call->span->lo + 1, &from, error) ||
        !count_calls_before(call, call->times.span.end_row, &to, error) ||
        !xtf_location_path(call->directory, call->span->tag, "calls", from, &path, error))
        return NULL;
    if (!path)
        return xtf_no_such(name, error);
    char *range = g_strdup_printf("%s-%" PRIu64, path, to);
    g_free(path);
    return xtf_node_new_link(call->directory, range);
}

/* ---- children */

/* Handles the row that enters a child. */
typedef bool (*TakeEnter)(void *data, const XtfRowRun *enter, GError **error);

/* Calls `take` for at most `most` children, each entered after the end of the previous child. Sets *more if further
 * children may follow. */
static bool visit_children(const Call *call, uint64_t most, TakeEnter take, void *data, bool *more, GError **error)
{
    const XtfArray *array = &call->span->array;
    const XtfField *is_leave = &array->schema->fields[array->schema->aggregates[call->frames].values[0]];
    uint64_t row = call->span->lo + 1, n = 0, step;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, row, &found, error))
        return false;
    for (; found && row < call->times.span.end_row && n < most; row += step) {
        const XtfRowRun enter = {call->span, xtf_cursor_row(&cursor), 1, cursor.n};
        XtfFrameTimes child;
        step = 1;
        if (xtf_field_get(is_leave, enter.rows) == 0) {
            if (!take(data, &enter, error) || !xtf_frame_reader_find(call->reader, row, &child, error))
                return false;
            step = child.span.end_row - row;
            n++;
        }
        if (row + step < call->times.span.end_row && !xtf_cursor_next(&cursor, (int64_t)step, &found, error))
            return false;
    }
    *more = found && n == most && row < call->times.span.end_row;
    return true;
}

typedef struct {
    XtfRenderer *renderer;
    const XtfFormat *format;
    GString *text;
} ChildrenText;

static bool add_child_line(void *data, const XtfRowRun *enter, GError **error)
{
    const ChildrenText *children = data;
    gsize at = children->text->len;

    g_string_set_size(children->text, at + children->format->line);
    return xtf_renderer_run(children->renderer, enter, children->text->str + at, error);
}

static GString *children_text(XtfNode *file, GError **error)
{
    XtfFormats *formats = &file->tree->formats;
    const XtfFormat *format = xtf_formats_of(formats, file->selection, error);
    const XtfLocations *locations = xtf_trace_context_locations(formats->context, error);
    g_auto(Call) call = {0};
    XtfFoundRecord record;
    bool more;

    if (!format || !locations || !xtf_found_record(file, &record, error) ||
        !find_call(file, &record.span, &call, error))
        return NULL;
    g_autoptr(XtfRenderer) renderer = xtf_renderer_new(formats, format, locations);
    g_autoptr(GString) text = g_string_new(NULL);
    ChildrenText children = {renderer, format, text};
    if (!visit_children(&call, CHILDREN_MAX, add_child_line, &children, &more, error))
        return NULL;
    if (more)
        g_string_append(text, "# there may be more: see inside\n");
    return g_steal_pointer(&text);
}

static bool children_write(XtfNode *file, XtfRowFormat as, XtfWriteBytes write, void *data, GError **error)
{
    XtfFormats *formats = &file->tree->formats;
    const XtfFormat *format = xtf_formats_of(formats, file->selection, error);
    g_auto(XtfRowValues) values = {0};
    g_auto(Call) call = {0};
    XtfFoundRecord record;
    bool more;

    return format && xtf_found_record(file, &record, error) && find_call(file, &record.span, &call, error) &&
           xtf_row_values_init(&values, formats, format, as, write, data, error) &&
           visit_children(&call, UINT64_MAX, xtf_row_values_take, &values, &more, error) &&
           xtf_row_values_flush(&values, error);
}

/* Makes `children`. A child that is open at the end of a commit may last longer in the next one. */
static XtfNode *new_children_file(XtfNode *directory, GError **error)
{
    static const XtfNodeClass children_file = {.kind = XTF_NODE_FILE,
                                               .text = children_text,
                                               .write = children_write,
                                               .keeps = true,
                                               .same_by_size_if_final = xtf_node_never_same_by_size};
    XtfNode *file = xtf_node_new(directory, &children_file);

    file->record = directory->record;
    return xtf_node_with_size(file, error);
}

XtfNode *xtf_call_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error)
{
    g_auto(Call) call = {0};

    if (g_str_equal(name, "children"))
        return new_children_file(directory, error);
    if (!find_call(directory, span, &call, error))
        return NULL;
    if (g_str_equal(name, "inside"))
        return new_inside_link(&call, name, error);
    if (g_str_equal(name, "leave"))
        return new_leave_link(&call, name, error);
    return new_parent_link(&call, name, error);
}

bool xtf_call_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error)
{
    g_auto(Call) call = {0};
    uint64_t row;
    bool has_parent;

    if (!find_call(directory, span, &call, error) || !find_parent(&call, &row, &has_parent, error))
        return false;
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    GString *path = find_location_path(directory, locations, span->tag);
    bool is_named = path != NULL;
    if (path)
        g_string_free(path, TRUE);
    xtf_lister_show(lister, "children", XTF_NODE_FILE);
    if (is_named)
        xtf_lister_show(lister, "inside", XTF_NODE_LINK);
    if (is_named && call.times.ending == XTF_FRAME_LEFT)
        xtf_lister_show(lister, "leave", XTF_NODE_LINK);
    if (is_named && has_parent)
        xtf_lister_show(lister, "parent", XTF_NODE_LINK);
    return true;
}
