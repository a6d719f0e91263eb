/*
 * Reads the elements of a trace: the callbacks of the parser.
 *
 * A fault ends the import. With --keep-going it only drops the innermost rank or slice around it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "src/import/opents/import.h"
#include "src/model/task-states.h"

enum {
    SKIPPED_DEPTH = 64, /* deepest nesting of elements inside a skipped element */
    UNKNOWN_NAMES = 64, /* most unknown items that are listed by name */
};

/* The element inside which each element must be; -1: none. */
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

static bool fail_at(const XtfOpentsImport *import, GError **error, const char *fault)
{
    int line;

    g_markup_parse_context_get_position(import->markup, &line, NULL);
    return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: line %d: %s", import->job->anchor, line, fault);
}

static void count_unknown(XtfOpentsImport *import, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void count_unknown(XtfOpentsImport *import, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *name = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    uint64_t *n = g_hash_table_lookup(import->unknown, name);
    if (!n && g_hash_table_size(import->unknown) == UNKNOWN_NAMES) {
        import->n_unlisted++;
        return;
    }
    if (!n) {
        n = g_new0(uint64_t, 1);
        g_hash_table_insert(import->unknown, g_steal_pointer(&name), n);
    }
    ++*n;
}

/* ---- The beginning of each element. False with a fault of the attributes, or with an error that ends the import. */

static bool begin_trace(XtfOpentsImport *import, XtfAttributes *attributes, GError **error)
{
    uint64_t ranks;

    if (!xtf_attributes_count(attributes, XTF_TRACE_RANKS, &ranks))
        return false;
    if (ranks == 0 || ranks > XTF_OPENTS_RANKS_MAX)
        return xtf_attributes_fault(attributes, "ranks=\"%" PRIu64 "\" is not from 1 to %u", ranks,
                                    XTF_OPENTS_RANKS_MAX);
    return xtf_opents_begin(import, (uint32_t)ranks, attributes->values[XTF_TRACE_CMD],
                            attributes->values[XTF_TRACE_TIME], error);
}

static bool add_element_row(XtfOpentsImport *import, XtfAttributes *attributes, uint32_t rank, unsigned type,
                            unsigned event, const void *row)
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
    if (import->has_frame && frame <= import->frame)
        return xtf_attributes_fault(attributes, "slice %" PRIu64 " follows slice %" PRIu64, frame, import->frame);
    import->has_frame = true;
    import->frame = frame;
    import->time = time;
    import->slices++;
    const XtfSlicesRow row = {.frame = frame};
    return add_element_row(import, attributes, 0, XTF_MODEL_SLICES, XTF_LABEL_slice, &row);
}

static bool begin_rank(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t rank;

    if (!xtf_attributes_count(attributes, XTF_RANK_NUM, &rank))
        return false;
    if (rank >= import->rows.n_ranks)
        return xtf_attributes_fault(attributes, "rank %" PRIu64 ", but the trace has ranks 0 to %" PRIu32, rank,
                                    import->rows.n_ranks - 1);
    if (import->last_slice[rank] == import->slices)
        return xtf_attributes_fault(attributes, "slice %" PRIu64 " has rank %" PRIu64 " twice", import->frame, rank);
    import->last_slice[rank] = import->slices;
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
    return add_element_row(import, attributes, import->rank, XTF_MODEL_RESOURCES, XTF_LABEL_resource, &row);
}

static bool begin_task(XtfOpentsImport *import, XtfAttributes *attributes)
{
    XtfTaskStatesRow row = {.frame = import->frame};
    uint64_t count;

    if (!xtf_attributes_require(attributes, XTF_TASK_TYPE) || !xtf_attributes_count(attributes, XTF_TASK_COUNT, &count))
        return false;
    import->state = xtf_task_state_of_letter(attributes->values[XTF_TASK_TYPE]);
    if (import->state < 0)
        return xtf_attributes_fault(attributes, "type=\"%.40s\" of a task is not a letter",
                                    attributes->values[XTF_TASK_TYPE]);
    row.count = count;
    return add_element_row(import, attributes, import->rank, XTF_MODEL_TASK_STATES, (unsigned)import->state, &row);
}

static bool begin_detail(XtfOpentsImport *import, XtfAttributes *attributes)
{
    bool to = attributes->values[XTF_DETAIL_TO], from = attributes->values[XTF_DETAIL_FROM];
    XtfTaskMovesRow row = {.frame = import->frame, .direction = to ? XTF_MOVE_TO : XTF_MOVE_FROM};
    uint64_t peer, count;

    if (to == from)
        return xtf_attributes_fault(attributes, "<detail> has %s",
                                    to ? "both \"to\" and \"from\"" : "neither \"to\" nor \"from\"");
    if (!xtf_attributes_count(attributes, XTF_DETAIL_COUNT, &count) ||
        !xtf_attributes_count(attributes, to ? XTF_DETAIL_TO : XTF_DETAIL_FROM, &peer))
        return false;
    if (peer >= import->rows.n_ranks)
        return xtf_attributes_fault(attributes, "tasks move %s rank %" PRIu64 ", but the trace has ranks 0 to %" PRIu32,
                                    to ? "to" : "from", peer, import->rows.n_ranks - 1);
    row.peer = (uint32_t)peer;
    row.count = count;
    return add_element_row(import, attributes, import->rank, XTF_MODEL_TASK_MOVES, (unsigned)import->state, &row);
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
    return add_element_row(import, attributes, import->rank, XTF_MODEL_MESSAGE_TOTALS, XTF_LABEL_message, &row);
}

/* Finds the row of a kind of messages in the trace's table; adds a row if necessary. */
static bool find_kind(XtfOpentsImport *import, XtfAttributes *attributes, uint32_t *kind)
{
    const char *name = attributes->values[XTF_EXTRA_TYPE];
    gpointer row = g_hash_table_lookup(import->kinds, name);

    if (!row) {
        if (import->kind_names->len == XTF_OPENTS_KINDS_MAX)
            return xtf_attributes_fault(attributes,
                                        "type=\"%.40s\" is one kind of messages too many: at most %u can be imported",
                                        name, XTF_OPENTS_KINDS_MAX);
        char *owned_name = g_strdup(name);
        g_ptr_array_add(import->kind_names, owned_name);
        row = GUINT_TO_POINTER(import->kind_names->len);
        g_hash_table_insert(import->kinds, owned_name, row);
    }
    *kind = GPOINTER_TO_UINT(row) - 1;
    return true;
}

static bool begin_extra(XtfOpentsImport *import, XtfAttributes *attributes)
{
    uint64_t n[4];
    uint32_t kind = 0;

    if (!xtf_attributes_require(attributes, XTF_EXTRA_TYPE) || !read_messages(attributes, n) ||
        !find_kind(import, attributes, &kind))
        return false;
    const XtfMessageKindsRow row = {.frame = import->frame,
                                    .kind = kind,
                                    .bytes_sent = n[0],
                                    .messages_sent = n[1],
                                    .bytes_received = n[2],
                                    .messages_received = n[3]};
    return add_element_row(import, attributes, import->rank, XTF_MODEL_MESSAGE_KINDS, XTF_LABEL_extra, &row);
}

static bool begin_element(XtfOpentsImport *import, XtfAttributes *attributes, GError **error)
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

static bool report_misplaced(XtfAttributes *attributes, unsigned parent)
{
    if (attributes->element == XTF_OPENTS_TRACE)
        return xtf_attributes_fault(attributes, "<trace> is inside <%s>", xtf_opents_elements[parent]);
    return xtf_attributes_fault(attributes, "<%s> is inside <%s>, but must be inside <%s>",
                                xtf_opents_elements[attributes->element], xtf_opents_elements[parent],
                                xtf_opents_elements[parents[attributes->element]]);
}

/* Skips the element with the fault, and drops the rank or the slice around it, unless it `is_unit`. */
static void skip_fault(XtfOpentsImport *import, bool is_unit)
{
    import->skipping = 1;
    if (is_unit || import->depth <= 1)
        return;
    if (import->depth == 2) {
        import->slice_bad = true;
    } else {
        import->rank_bad = true;
        xtf_opents_rows_drop(&import->rows, import->rank_mark);
    }
}

/* Fails, or with --keep-going warns and skips. `is_unit`: the element is itself a slice or a rank in its right place,
 * so that only it is lost. */
static void handle_fault(XtfOpentsImport *import, const char *fault, bool is_unit, GError **error)
{
    const char *lost = is_unit ? import->depth == 1 ? "slice" : "rank" : import->depth == 2 ? "slice" : "rank";
    int line;

    if (!import->keep_going || import->depth == 0) {
        fail_at(import, error, fault);
        return;
    }
    g_markup_parse_context_get_position(import->markup, &line, NULL);
    if (is_unit || import->depth > 1)
        xtf_import_warn(import->job, "line %d: %s; the %s is left out", line, fault, lost);
    else
        xtf_import_warn(import->job, "line %d: %s; the element is left out", line, fault);
    skip_fault(import, is_unit);
}

/* ---- The parser's callbacks. */

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
        g_autofree char *fault = g_strdup_printf("<%.40s> %s", name,
                                                 import->ended ? "follows the end of the trace"
                                                               : "is not <trace>: the file is not a trace of OpenTS");
        fail_at(import, error, fault);
        return;
    }
    if (!known) {
        count_unknown(import, "elements <%.100s>", name);
        import->skipping = 1;
        return;
    }
    XtfAttributes attributes = {.element = element, .notation = &import->notation};
    bool in_place = parents[element] == parent;
    bool good = in_place ? xtf_attributes_store(&attributes, names, values) && begin_element(import, &attributes, error)
                         : report_misplaced(&attributes, (unsigned)parent);
    import->rounded += attributes.rounded;
    for (; attributes.unknown > 0 && *names; names++)
        if (!xtf_attributes_is_known(element, *names))
            count_unknown(import, "attributes %.100s of <%s>", *names, name);
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
        count_unknown(import, "texts between elements");
}

/* Handles comments, declarations and CDATA sections. */
static void read_other_markup(GMarkupParseContext *markup, const char *text, gsize n, void *data, GError **error)
{
    XtfOpentsImport *import = data;

    import->calls++;
    if (g_str_has_prefix(text, "<!DOCTYPE"))
        fail_at(
            import, error,
            "a document type declaration is refused: no trace needs one, and its entities can expand without limit");
    else if (g_str_has_prefix(text, "<!--"))
        count_unknown(import, "comments");
    else if (g_str_has_prefix(text, "<![CDATA["))
        count_unknown(import, "texts between elements");
    else if (!g_str_has_prefix(text, "<?xml "))
        count_unknown(import, "processing instructions");
}

const GMarkupParser xtf_opents_parser = {
    .start_element = start_element,
    .end_element = end_element,
    .text = read_text,
    .passthrough = read_other_markup,
};
