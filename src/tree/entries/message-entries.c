#include "src/tree/entries/message-entries.h"

#include <inttypes.h>

#include "src/tables/match/message-times.h"
#include "src/tree/entries/call-entries.h"
#include "src/tree/entries/found-record.h"

static const char *const names[] = {"match", "message", NULL};

bool xtf_message_entry_has(const char *name)
{
    return g_strv_contains(names, name);
}

/* True if a record is a send or a receive, and the trace's messages can be matched. */
static bool is_message_end(const XtfNode *directory, const XtfSpan *span, bool *is_send)
{
    const XtfMessageTypes *types = &directory->tree->matching.types;

    *is_send = span->array.schema == types->types[XTF_MESSAGES_SENDS].schema;
    return !types->missing && (*is_send || span->array.schema == types->recvs);
}

static bool find_message(XtfNode *directory, const XtfSpan *span, bool is_send, XtfMessage *message, GError **error)
{
    const XtfMessageEnd end = {span->tag, span->lo};
    XtfMatching *matching = &directory->tree->matching;

    return is_send ? xtf_match_send(matching, &end, message, error) : xtf_match_receive(matching, &end, message, error);
}

/* Finds the path to the message's other end. *path is NULL if there is none, or it is uncertain. */
static bool find_match_path(XtfNode *directory, const XtfSpan *span, bool is_send, char **path, GError **error)
{
    const XtfTraceContext *context = &directory->tree->context;
    const XtfMessageTypes *types = &directory->tree->matching.types;
    XtfMessage message;

    *path = NULL;
    if (!find_message(directory, span, is_send, &message, error))
        return false;
    if (!message.has_send || !message.has_receive || message.state == XTF_PAIR_UNCERTAIN)
        return true;
    const XtfSchema *schema = is_send ? types->recvs : types->types[XTF_MESSAGES_SENDS].schema;
    const XtfMessageEnd *other_end = is_send ? &message.posting : &message.send;
    return xtf_location_path(directory, other_end->location, context->type_names[schema->id],
                             is_send ? message.receive : other_end->row, path, error);
}

/* ---- message */

static void add_number_line(GString *text, const char *name, bool known, uint64_t number, const char *unit)
{
    if (known)
        g_string_append_printf(text, "%-14s %" PRIu64 "%s\n", name, number, unit);
    else
        g_string_append_printf(text, "%-14s -\n", name);
}

static void add_time_line(GString *text, const XtfTimeScale *scale, const char *name, bool known, uint64_t ticks)
{
    char digits[XTF_TIME_TEXT_MAX];
    char *end = digits + sizeof digits, *begin = xtf_time_scale_put(scale, ticks, end);

    if (known)
        g_string_append_printf(text, "%-14s %.*s s\n", name, (int)(end - begin), begin);
    else
        g_string_append_printf(text, "%-14s -\n", name);
}

static void add_end_lines(GString *text, const XtfMessage *message)
{
    const XtfMessageGroup *group = &message->group;

    add_number_line(text, "sender", message->has_group, group->sender, "");
    add_number_line(text, "receiver", message->has_group, group->receiver, "");
    add_number_line(text, "comm", message->has_group, group->comm, "");
    add_number_line(text, "tag", message->has_group, group->tag, "");
    add_number_line(text, "bytes_sent", message->has_send, message->sent_bytes, " B");
    add_number_line(text, "bytes_received", message->has_receive, message->received_bytes, " B");
}

static void add_time_lines(GString *text, const XtfTimeScale *scale, const XtfMessage *message,
                           const XtfMessageTimes *times)
{
    bool waits = times->wait == XTF_WAIT_LATE_SENDER || times->wait == XTF_WAIT_LATE_RECEIVER;

    add_time_line(text, scale, "posted", message->has_receive, times->posted - MIN(times->posted, scale->origin));
    add_time_line(text, scale, "sent", message->has_send, times->sent - MIN(times->sent, scale->origin));
    add_time_line(text, scale, "received", message->has_receive, times->received - MIN(times->received, scale->origin));
    add_time_line(text, scale, "wait", waits, times->ticks);
    g_string_append_printf(text, "%-14s %s\n", "wait_kind", xtf_message_wait_word(times->wait));
}

/* Adds the names of the sites of both sides, if the trace has call sites. */
static bool add_site_lines(GString *text, XtfFormats *formats, const XtfMessageTimes *times, GError **error)
{
    const struct {
        const char *name;
        uint32_t site;
    } sites[] = {{"send_site", times->sent_from}, {"recv_site", times->posted_from}};
    const XtfPaddedNames *shown;

    if (!xtf_padded_names_of_sites(formats, &shown, error))
        return false;
    for (unsigned i = 0; shown && i < G_N_ELEMENTS(sites); i++) {
        g_string_append_printf(text, "%-14s ", sites[i].name);
        if (sites[i].site < shown->n)
            xtf_add_whole_text(text, shown->whole[sites[i].site]);
        else
            g_string_append(text, sites[i].site == XTF_NONE32 ? "-" : "?");
        g_string_append_c(text, '\n');
    }
    return true;
}

static XtfNode *new_message_file(XtfNode *directory, const XtfSpan *span, bool is_send, GError **error)
{
    XtfTree *tree = directory->tree;
    const XtfRegionClasses *classes = xtf_trace_context_classes(&tree->context, error);
    XtfMessageTimes times;
    XtfMessage message;

    if (!classes || !find_message(directory, span, is_send, &message, error) ||
        !xtf_message_times(&tree->matching, &message, &times, error))
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    bool counted = message.has_group && message.doubt != XTF_DOUBT_CANCELLED;
    add_end_lines(text, &message);
    add_time_lines(text, &tree->context.scale, &message, &times);
    if (!add_site_lines(text, &tree->formats, &times, error))
        return NULL;
    add_number_line(text, "number", counted, message.k, "");
    add_number_line(text, "sends", counted, message.n_sends, "");
    add_number_line(text, "receives", counted, message.n_receives, "");
    g_string_append_printf(text, "%-14s %s\n", "state", xtf_pair_states[message.state]);
    g_string_append_printf(text, "%-14s %s%s\n", "why", xtf_pair_doubts[message.doubt],
                           message.doubt == XTF_DOUBT_COUNTS && classes->present & XTF_CLASS_BIT(XTF_CLASS_UNRECORDED)
                               ? ": recording was off for a while"
                               : "");
    return xtf_node_new_changing_text(directory, g_steal_pointer(&text)); /* a later commit may hold its receive */
}

/* ---- Entries. */

XtfNode *xtf_message_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error)
{
    bool is_send;
    char *path;

    if (!is_message_end(directory, span, &is_send))
        return xtf_no_such(name, error);
    if (g_str_equal(name, "message"))
        return new_message_file(directory, span, is_send, error);
    if (!find_match_path(directory, span, is_send, &path, error))
        return NULL;
    return path ? xtf_node_new_link(directory, path)
                : xtf_not_found(error, "the other end of the message is unknown or missing: the file message says why");
}

bool xtf_message_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error)
{
    g_autofree char *path = NULL;
    bool is_send;

    if (!is_message_end(directory, span, &is_send))
        return true;
    if (!find_match_path(directory, span, is_send, &path, error))
        return false;
    if (path)
        xtf_lister_show(lister, "match", XTF_NODE_LINK);
    xtf_lister_show(lister, "message", XTF_NODE_FILE);
    return true;
}
