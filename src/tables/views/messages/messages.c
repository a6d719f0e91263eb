/*
 * messages: a line for each send of the selection, with the other end of its message.
 *
 * There is a line for each line of `sends/records`. So their number is known, and the index finds any line. Messages
 * are matched only when their lines are read.
 */
#include "libxtf/error.h"
#include "libxtf/records.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/match/message-batch.h"
#include "src/tables/views/view.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("sent", XTF_COLUMN_TIME, NULL, "when the message is sent"),
    XTF_COLUMN("received", XTF_COLUMN_TIME, NULL, "when the message is received"),
    XTF_COLUMN("posted", XTF_COLUMN_TIME, NULL, "when the receive is posted"),
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("comm", XTF_COLUMN_NUMBER, NULL, "row of the communicator in definitions/communicators"),
    XTF_COLUMN("tag", XTF_COLUMN_NUMBER, NULL, "tag of the message"),
    XTF_COLUMN("bytes", XTF_COLUMN_NUMBER, "B", "bytes that are sent"),
    XTF_COLUMN("state", XTF_COLUMN_TEXT, NULL, "whether both ends are of one message"),
    XTF_COLUMN("wait", XTF_COLUMN_TIME, NULL, "wait of one side for the other"),
    XTF_COLUMN("wait_kind", XTF_COLUMN_TEXT, NULL, "side that waits, or that clocks disagree"),
    XTF_COLUMN("send_site", XTF_COLUMN_TEXT, NULL, "call site of the send"),
    XTF_COLUMN("recv_site", XTF_COLUMN_TEXT, NULL, "call site at which the receive is posted"),
};

enum {
    LINES_AT_ONCE = 1024,
    LINES_PER_LOCATION = 32, /* so that each search in a location's arrays gives several lines */
    LEAST_LINES_PER_LOCATION = 8,
    MOST_LINES_AT_ONCE = 32768,
    LINES_OF_MANY_LOCATIONS = 8192, /* if MOST_LINES_AT_ONCE are too few for LEAST_LINES_PER_LOCATION */
    WORDS_WIDTH = 15,               /* length of the longest xtf_message_wait_word() */
};

static bool messages_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfMessageTypes types;

    xtf_message_types_find(&types, context);
    return !types.missing && xtf_selection_has_type(selection, types.types[XTF_MESSAGES_SENDS].schema);
}

static XtfSelection *sends_of(const XtfViews *views, const XtfSelection *selection)
{
    return xtf_selection_in_type(selection, views->matching->types.types[XTF_MESSAGES_SENDS].schema->id);
}

/* Returns the number of digits of the largest value of a field of `sends`. */
static size_t message_width_of(const XtfViews *views, const char *role)
{
    const XtfSchema *sends = views->matching->types.types[XTF_MESSAGES_SENDS].schema;
    const XtfField *field = xtf_schema_field_by_role(sends, role);
    const XtfLimits *limits = xtf_trace_limits(views->context->trace, sends->id, (uint32_t)(field - sends->fields));

    return limits->min <= limits->max ? xtf_count_digits(limits->max) : 1;
}

static size_t states_width(void)
{
    size_t width = 0;

    for (unsigned i = 0; i < XTF_PAIR_N_STATES; i++)
        width = MAX(width, strlen(xtf_pair_states[i]));
    return width;
}

/* Returns the lines of a part. A part has more lines the more locations there are, up to a bound of memory and of the
 * time of a first read. */
static uint64_t message_lines_at_once(uint64_t locations)
{
    if (locations > MOST_LINES_AT_ONCE / LEAST_LINES_PER_LOCATION)
        return LINES_OF_MANY_LOCATIONS;
    return CLAMP(LINES_PER_LOCATION * locations, LINES_AT_ONCE, MOST_LINES_AT_ONCE);
}

static bool shape_messages(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    g_autoptr(XtfSelection) sends = sends_of(views, selection);
    size_t time = views->context->scale.width;
    const XtfPaddedNames *sites;

    if (!locations || !xtf_padded_names_of_sites(views->formats, &sites, error) ||
        !xtf_resolver_count(views->resolver, sends, &shape->n_lines, error))
        return false;
    xtf_grid_add(&shape->grid, "sent", time);
    xtf_grid_add(&shape->grid, "received", time);
    xtf_grid_add(&shape->grid, "posted", time);
    xtf_grid_add(&shape->grid, "sender", locations->proc_width);
    xtf_grid_add(&shape->grid, "receiver", MAX(locations->proc_width, message_width_of(views, XTF_ROLE_PEER)));
    xtf_grid_add(&shape->grid, "comm", message_width_of(views, XTF_ROLE_COMM));
    xtf_grid_add(&shape->grid, "tag", message_width_of(views, XTF_ROLE_TAG));
    xtf_grid_add(&shape->grid, "bytes", message_width_of(views, XTF_ROLE_BYTES));
    xtf_grid_add(&shape->grid, "state", states_width());
    xtf_grid_add(&shape->grid, "wait", time);
    xtf_grid_add(&shape->grid, "wait_kind", WORDS_WIDTH);
    if (sites) {
        xtf_grid_add(&shape->grid, "send_site", sites->width);
        xtf_grid_add(&shape->grid, "recv_site", sites->width);
    }
    shape->at_once = message_lines_at_once(locations->n);
    return true;
}

/* ---- Lines. */

static bool find_sends(XtfViews *views, XtfSelection *sends, uint64_t first, uint64_t n, XtfMessageEnd *ends,
                       GError **error)
{
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(views->resolver, sends, error);
    g_autoptr(XtfRecordReader) reader = spans ? xtf_record_reader_new(spans, first, error) : NULL;
    XtfRowRun run;

    if (!reader)
        return false;
    for (uint64_t done = 0; done < n; done += run.n_rows) {
        if (!xtf_record_reader_next(reader, n - done, &run, error))
            return false;
        if (!run.n_rows)
            return xtf_damaged(error, "the trace has fewer records than it states");
        for (uint64_t i = 0; i < run.n_rows; i++)
            ends[done + i] = (XtfMessageEnd){run.span->tag, run.first + i};
    }
    return true;
}

static void add_message_line(const XtfMatchedSend *matched, const XtfField *comm, const XtfPaddedNames *sites,
                             XtfLines *lines)
{
    const XtfMessage *message = &matched->message;
    const XtfMessageGroup *group = &message->group;
    const XtfMessageTimes *times = &matched->times;

    xtf_lines_time_if(lines, true, times->sent);
    xtf_lines_time_if(lines, message->has_receive, times->received);
    xtf_lines_time_if(lines, message->has_receive, times->posted);
    xtf_lines_number(lines, group->sender);
    xtf_lines_number_if(lines, message->has_group, group->receiver);
    xtf_lines_number_if(lines, !xtf_key_is_none(comm, group->comm), group->comm);
    xtf_lines_number(lines, group->tag);
    xtf_lines_number(lines, message->sent_bytes);
    xtf_lines_word(lines, xtf_pair_states[message->state]);
    if (times->wait == XTF_WAIT_LATE_SENDER || times->wait == XTF_WAIT_LATE_RECEIVER)
        xtf_lines_ticks(lines, times->ticks);
    else
        xtf_lines_none(lines);
    xtf_lines_word(lines, xtf_message_wait_word(times->wait));
    if (!sites)
        return;
    xtf_lines_site(lines, sites, times->sent_from);
    xtf_lines_site(lines, sites, times->posted_from);
}

static bool fill_messages(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                          GError **error)
{
    const XtfSchema *schema = views->matching->types.types[XTF_MESSAGES_SENDS].schema;
    g_autoptr(XtfSelection) sends = sends_of(views, selection);
    g_autofree XtfMessageEnd *ends = g_new(XtfMessageEnd, count);
    g_autofree XtfMatchedSend *matched = g_new(XtfMatchedSend, count);
    const XtfPaddedNames *sites;

    if (!xtf_padded_names_of_sites(views->formats, &sites, error) ||
        !find_sends(views, sends, first, count, ends, error) ||
        !xtf_match_sends(views->matching, ends, (uint32_t)count, matched, error))
        return false;
    for (uint64_t i = 0; i < count; i++)
        add_message_line(&matched[i], xtf_schema_field_by_role(schema, XTF_ROLE_COMM), sites, lines);
    return true;
}

const XtfView xtf_view_messages = {.table =
                                       XTF_TABLE("messages", "each send, and the other end of its message", columns),
                                   .subject = &xtf_about_sends,
                                   .exists = messages_exist,
                                   .shape = shape_messages,
                                   .fill = fill_messages,
                                   .refused_keys = UINT_MAX};
