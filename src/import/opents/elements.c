/*
 * Elements in their places.
 *
 * A fault ends the import, or under --keep-going costs the innermost rank or slice that it is in: what is whole stays.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "src/import/opents/import.h"
#include "src/model/task-states.h"

enum {
    SKIPPED_DEPTH = 64, /* of elements in one that is unknown or has a fault */
    STRANGE_NAMES = 64, /* of unknown things that are listed */
};

/* Where each belongs; -1: nowhere. */
static const int parents[XTF_OPENTS_N_ELEMENTS] = {
    [XTF_OPENTS_TRACE] = -1,
    [XTF_OPENTS_SLICE] = XTF_OPENTS_TRACE,
    [XTF_OPENTS_RANK] = XTF_OPENTS_SLICE,
    [XTF_OPENTS_RESOURCE] = XTF_OPENTS_RANK,
    [XTF_OPENTS_TASK] = XTF_OPENTS_RANK,
    [XTF_OPENTS_DETAIL] = XTF_OPENTS_TASK,
    [XTF_OPENTS_MESSAGE] = XTF_OPENTS_RANK,
    [XTF_OPENTS_EXTRA] = XTF_OPENTS_MESSAGE,
};

static bool fail_at(const XtfOpentsImport *import, GError **error, const char *what)
{
    int line;

    g_markup_parse_context_get_position(import->markup, &line, NULL);
    return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: line %d: %s", import->job->anchor, line, what);
}

static void count_strange(XtfOpentsImport *import, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void count_strange(XtfOpentsImport *import, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *name = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    uint64_t *n = g_hash_table_lookup(import->strange, name);
    if (!n && g_hash_table_size(import->strange) == STRANGE_NAMES) {
        import->n_strange_names++;
        return;
    }
    if (!n) {
        n = g_new0(uint64_t, 1);
        g_hash_table_insert(import->strange, g_steal_pointer(&name), n);
    }
    ++*n;
}

/* ---- What elements say. False with what is wrong with them, or with an error that nothing helps against. */

static bool begin_trace(XtfOpentsImport *import, XtfAttributes *attributes, GError **error)
{
    uint64_t ranks;

    if (!xtf_attributes_count(attributes, XTF_TRACE_RANKS, &ranks))
        return false;
    if (ranks == 0 || ranks > XTF_OPENTS_RANKS_MAX)
        return xtf_attributes_fault(attributes, "ranks=\"%" PRIu64 "\": from 1 to %u can be imported", ranks,
                                    XTF_OPENTS_RANKS_MAX);
    return xtf_opents_begin(import, (uint32_t)ranks, attributes->values[XTF_TRACE_CMD],
                            attributes->values[XTF_TRACE_TIME], error);
}

static bool add_row(XtfOpentsImport *import, XtfAttributes *attributes, uint32_t rank, unsigned type, unsigned event,
                    const void *row)
{
    import->job->report.read++;
    return xtf_opents_rows_add(&import->rows, rank, type, event, row) ||
           xtf_attributes_fault(attributes, "the slice is larger than %u MiB", XTF_OPENTS_SLICE_MAX >> 20);
}

static bool begin_slice(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t frame, time;

    if (!xtf_attributes_count(attributes, XTF_SLICE_NUM, &frame) ||
        !xtf_attributes_time(attributes, XTF_SLICE_TIME, XTF_DECIMAL_TIME, true, &time))
        return false;
    if (import->any_frame && frame <= import->frame)
        return xtf_attributes_fault(attributes, "slice %" PRIu64 " comes after slice %" PRIu64, frame, import->frame);
    import->any_frame = true;
    import->frame = frame;
    import->time = time;
    import->slices++;
    const XtfSlicesRow row = {.frame = frame};
    return add_row(import, attributes, 0, XTF_MODEL_SLICES, XTF_LABEL_slice, &row);
}

static bool begin_rank(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t rank;

    if (!xtf_attributes_count(attributes, XTF_RANK_NUM, &rank))
        return false;
    if (rank >= import->rows.n_ranks)
        return xtf_attributes_fault(attributes, "rank %" PRIu64 " of %" PRIu32 ", which count from 0", rank,
                                    import->rows.n_ranks);
    if (import->seen_in[rank] == import->slices)
        return xtf_attributes_fault(attributes, "rank %" PRIu64 " is there twice in slice %" PRIu64, rank,
                                    import->frame);
    import->seen_in[rank] = import->slices;
    import->rank = (uint32_t)rank;
    import->rank_mark = xtf_opents_rows_mark(&import->rows);
    return true;
}

static bool begin_resource(XtfOpentsImport *import, XtfAttributes *attributes)
{
    XtfResourcesRow row = {.frame = import->frame};
    uint64_t tasks, idle, sched, mpi;
    double mbytes, mflops;

    if (!xtf_attributes_time(attributes, XTF_RESOURCE_TASKS, XTF_DECIMAL_TASKS, false, &tasks) ||
        !xtf_attributes_time(attributes, XTF_RESOURCE_IDLE, XTF_DECIMAL_IDLE, false, &idle) ||
        !xtf_attributes_time(attributes, XTF_RESOURCE_SCHED, XTF_DECIMAL_SCHED, false, &sched) ||
        !xtf_attributes_time(attributes, XTF_RESOURCE_MPI, XTF_DECIMAL_MPI, false, &mpi) ||
        !xtf_attributes_real(attributes, XTF_RESOURCE_MBYTES, XTF_DECIMAL_MBYTES, &mbytes) ||
        !xtf_attributes_real(attributes, XTF_RESOURCE_MFLOPS, XTF_DECIMAL_MFLOPS, &mflops))
        return false;
    row.tasks = tasks;
    row.idle = idle;
    row.sched = sched;
    row.mpi = mpi;
    row.mbytes = mbytes;
    row.mflops = mflops;
    return add_row(import, attributes, import->rank, XTF_MODEL_RESOURCES, XTF_LABEL_resource, &row);
}

static bool begin_task(XtfOpentsImport *import, XtfAttributes *attributes)
{
    XtfTaskStatesRow row = {.frame = import->frame};
    uint64_t count;

    if (!xtf_attributes_needed(attributes, XTF_TASK_TYPE) || !xtf_attributes_count(attributes, XTF_TASK_COUNT, &count))
        return false;
    import->state = xtf_task_state_of_letter(attributes->values[XTF_TASK_TYPE]);
    if (import->state < 0)
        return xtf_attributes_fault(attributes, "type=\"%.40s\" of a task is no letter",
                                    attributes->values[XTF_TASK_TYPE]);
    row.count = count;
    return add_row(import, attributes, import->rank, XTF_MODEL_TASK_STATES, (unsigned)import->state, &row);
}

static bool begin_detail(XtfOpentsImport *import, XtfAttributes *attributes)
{
    bool to = attributes->values[XTF_DETAIL_TO], from = attributes->values[XTF_DETAIL_FROM];
    XtfTaskMovesRow row = {.frame = import->frame, .direction = to ? XTF_MOVE_TO : XTF_MOVE_FROM};
    uint64_t peer, count;

    if (to == from)
        return xtf_attributes_fault(attributes, to ? "tasks that go to one rank and come from one"
                                                   : "tasks that go nowhere: neither \"to\" nor \"from\"");
    if (!xtf_attributes_count(attributes, XTF_DETAIL_COUNT, &count) ||
        !xtf_attributes_count(attributes, to ? XTF_DETAIL_TO : XTF_DETAIL_FROM, &peer))
        return false;
    if (peer >= import->rows.n_ranks)
        return xtf_attributes_fault(attributes, "tasks move %s rank %" PRIu64 " of %" PRIu32 ", which count from 0",
                                    to ? "to" : "from", peer, import->rows.n_ranks);
    row.peer = (uint32_t)peer;
    row.count = count;
    return add_row(import, attributes, import->rank, XTF_MODEL_TASK_MOVES, (unsigned)import->state, &row);
}

static bool read_messages(XtfAttributes *attributes, uint64_t *counters)
{
    return xtf_attributes_optional_count(attributes, XTF_MESSAGE_SBYTES, &counters[0]) &&
           xtf_attributes_optional_count(attributes, XTF_MESSAGE_SCOUNT, &counters[1]) &&
           xtf_attributes_optional_count(attributes, XTF_MESSAGE_RBYTES, &counters[2]) &&
           xtf_attributes_optional_count(attributes, XTF_MESSAGE_RCOUNT, &counters[3]);
}

static bool begin_message(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t n[4];

    if (!read_messages(attributes, n))
        return false;
    const XtfMessageTotalsRow row = {.frame = import->frame,
                                     .bytes_sent = n[0],
                                     .messages_sent = n[1],
                                     .bytes_received = n[2],
                                     .messages_received = n[3]};
    return add_row(import, attributes, import->rank, XTF_MODEL_MESSAGE_TOTALS, XTF_LABEL_message, &row);
}

/* The row of a kind of messages in the trace's table. */
static bool find_kind(XtfOpentsImport *import, XtfAttributes *attributes, uint32_t *kind)
{
    const char *name = attributes->values[XTF_EXTRA_TYPE];
    gpointer row = g_hash_table_lookup(import->kinds, name);

    if (!row) {
        if (import->kind_names->len == XTF_OPENTS_KINDS_MAX)
            return xtf_attributes_fault(attributes, "type=\"%.40s\" is one more than %u kinds of messages", name,
                                        XTF_OPENTS_KINDS_MAX);
        char *own = g_strdup(name);
        g_ptr_array_add(import->kind_names, own);
        row = GUINT_TO_POINTER(import->kind_names->len);
        g_hash_table_insert(import->kinds, own, row);
    }
    *kind = GPOINTER_TO_UINT(row) - 1;
    return true;
}

static bool begin_extra(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t n[4];
    uint32_t kind = 0;

    if (!xtf_attributes_needed(attributes, XTF_EXTRA_TYPE) || !read_messages(attributes, n) ||
        !find_kind(import, attributes, &kind))
        return false;
    const XtfMessageKindsRow row = {.frame = import->frame,
                                    .kind = kind,
                                    .bytes_sent = n[0],
                                    .messages_sent = n[1],
                                    .bytes_received = n[2],
                                    .messages_received = n[3]};
    return add_row(import, attributes, import->rank, XTF_MODEL_MESSAGE_KINDS, XTF_LABEL_extra, &row);
}

static bool begin(XtfOpentsImport *import, XtfAttributes *attributes, GError **error)
{
    switch (attributes->element) {
    case XTF_OPENTS_TRACE:
        return begin_trace(import, attributes, error);
    case XTF_OPENTS_SLICE:
        return begin_slice(import, attributes);
    case XTF_OPENTS_RANK:
        return begin_rank(import, attributes);
    case XTF_OPENTS_RESOURCE:
        return begin_resource(import, attributes);
    case XTF_OPENTS_TASK:
        return begin_task(import, attributes);
    case XTF_OPENTS_DETAIL:
        return begin_detail(import, attributes);
    case XTF_OPENTS_MESSAGE:
        return begin_message(import, attributes);
    default:
        return begin_extra(import, attributes);
    }
}

/* ---- Faults. */

static bool misplaced(XtfAttributes *attributes, unsigned parent)
{
    if (attributes->element == XTF_OPENTS_TRACE)
        return xtf_attributes_fault(attributes, "<trace> stands in <%s>", xtf_opents_elements[parent]);
    return xtf_attributes_fault(attributes, "<%s> stands in <%s>, and belongs into <%s>",
                                xtf_opents_elements[attributes->element], xtf_opents_elements[parent],
                                xtf_opents_elements[parents[attributes->element]]);
}

/* Passes over the element with the fault, and over what it makes useless: the rank or the slice around it. */
static void drop(XtfOpentsImport *import, bool alone)
{
    import->skipping = 1;
    if (alone || import->depth <= 1)
        return;
    if (import->depth == 2) {
        import->slice_bad = true;
    } else {
        import->rank_bad = true;
        xtf_opents_rows_drop(&import->rows, import->rank_mark);
    }
}

/* `alone`: the element is a rank or a slice where it belongs, and nothing else is lost with it. */
static void handle_fault(XtfOpentsImport *import, const char *fault, bool alone, GError **error)
{
    const char *lost = alone ? import->depth == 1 ? "slice" : "rank" : import->depth == 2 ? "slice" : "rank";
    int line;

    if (!import->keep_going || import->depth == 0) {
        fail_at(import, error, fault);
        return;
    }
    g_markup_parse_context_get_position(import->markup, &line, NULL);
    if (alone || import->depth > 1)
        xtf_import_warn(import->job, "line %d: %s; the %s is left out", line, fault, lost);
    else
        xtf_import_warn(import->job, "line %d: %s; the element is left out", line, fault);
    drop(import, alone);
}

/* ---- The parser's calls. */

static bool find_element(const char *name, XtfOpentsElement *element)
{
    for (unsigned i = 0; i < XTF_OPENTS_N_ELEMENTS; i++) {
        if (name[0] == xtf_opents_elements[i][0] && strcmp(name, xtf_opents_elements[i]) == 0) {
            *element = i;
            return true;
        }
    }
    return false;
}

static void start_element(GMarkupParseContext *markup, const char *name, const char **names, const char **values,
                          void *data, GError **error)
{
    XtfOpentsImport *import = data;
    int parent = import->depth > 0 ? (int)import->open[import->depth - 1] : -1;
    XtfOpentsElement element;

    import->calls++;
    if (import->skipping > 0 || import->rank_bad || import->slice_bad) {
        if (++import->skipping > SKIPPED_DEPTH)
            fail_at(import, error, "elements are nested too deep");
        return;
    }
    bool known = find_element(name, &element);
    if (import->depth == 0 && (!known || element != XTF_OPENTS_TRACE || import->ended)) {
        g_autofree char *what = g_strdup_printf("<%.40s> %s", name,
                                                import->ended ? "comes after the end of the trace"
                                                              : "is not <trace>, so this is no trace of OpenTS");
        fail_at(import, error, what);
        return;
    }
    if (!known) {
        count_strange(import, "elements <%.100s>", name);
        import->skipping = 1;
        return;
    }
    XtfAttributes attributes = {.element = element, .notation = &import->notation};
    bool in_place = parents[element] == parent;
    bool good = in_place ? xtf_attributes_take(&attributes, names, values) && begin(import, &attributes, error)
                         : misplaced(&attributes, (unsigned)parent);
    import->rounded += attributes.rounded;
    for (; attributes.unknown > 0 && *names; names++)
        if (!xtf_attributes_is_known(element, *names))
            count_strange(import, "attributes %.100s of <%s>", *names, name);
    if (good)
        import->open[import->depth++] = element;
    else if (attributes.fault)
        handle_fault(import, attributes.fault, in_place && element <= XTF_OPENTS_RANK, error);
    g_free(attributes.fault);
}

static void end_element(GMarkupParseContext *markup, const char *name, void *data, GError **error)
{
    XtfOpentsImport *import = data;

    import->calls++;
    if (import->skipping > 0) {
        import->skipping--;
        return;
    }
    XtfOpentsElement element = import->open[--import->depth];
    if (element == XTF_OPENTS_RANK) {
        if (!import->rank_bad)
            ((XtfSlicesRow *)xtf_opents_rows_at(&import->rows, 0))->ranks++;
        import->rank_bad = false;
    } else if (element == XTF_OPENTS_SLICE) {
        if (import->slice_bad)
            xtf_opents_rows_drop(&import->rows, 0);
        else
            xtf_opents_rows_commit(&import->rows, import->time, error);
        import->slice_bad = false;
    } else if (element == XTF_OPENTS_TRACE) {
        import->ended = true;
    }
}

static void read_text(GMarkupParseContext *markup, const char *text, gsize n, void *data, GError **error)
{
    XtfOpentsImport *import = data;

    import->calls++;
    while (n > 0 && g_ascii_isspace(text[n - 1]))
        n--;
    if (n > 0 && import->skipping == 0)
        count_strange(import, "texts between elements");
}

/* Comments, declarations, sections. */
static void pass_through(GMarkupParseContext *markup, const char *text, gsize n, void *data, GError **error)
{
    XtfOpentsImport *import = data;

    import->calls++;
    if (g_str_has_prefix(text, "<!DOCTYPE"))
        fail_at(import, error,
                "a declaration of the document's type is refused: no trace needs one, and it can make a small file "
                "endless");
    else if (g_str_has_prefix(text, "<!--"))
        count_strange(import, "comments");
    else if (g_str_has_prefix(text, "<![CDATA["))
        count_strange(import, "texts between elements");
    else if (!g_str_has_prefix(text, "<?xml "))
        count_strange(import, "processing instructions");
}

const GMarkupParser xtf_opents_parser = {
    .start_element = start_element,
    .end_element = end_element,
    .text = read_text,
    .passthrough = pass_through,
};
