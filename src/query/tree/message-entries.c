#include "src/query/tree/message-entries.h"

#include "src/query/tree/call-entries.h"

static const char *const names[] = {"match", NULL};

bool xtf_message_entry_has(const char *name)
{
    return g_strv_contains(names, name);
}

/* Whether a record is a send, or a receive, of a trace whose messages are matched. */
static bool is_end(const XtfNode *directory, const XtfSpan *span, bool *is_send)
{
    const XtfMessageTypes *types = &directory->tree->matching.types;

    *is_send = span->array.schema == types->types[XTF_MESSAGES_SENDS].schema;
    return !types->missing && (*is_send || span->array.schema == types->recvs);
}

static bool find(XtfNode *directory, const XtfSpan *span, bool is_send, XtfMessage *message, GError **error)
{
    const XtfMessageEnd end = {span->tag, span->lo};
    XtfMatching *matching = &directory->tree->matching;

    return is_send ? xtf_match_send(matching, &end, message, error) : xtf_match_receive(matching, &end, message, error);
}

/* The path to the other end; *path is NULL if that is not known for sure enough, or has none. */
static bool match_target(XtfNode *directory, const XtfSpan *span, bool is_send, char **path, GError **error)
{
    const XtfTraceContext *context = &directory->tree->context;
    const XtfMessageTypes *types = &directory->tree->matching.types;
    XtfMessage message;

    *path = NULL;
    if (!find(directory, span, is_send, &message, error))
        return false;
    if (!message.has_send || !message.has_receive || message.state == XTF_PAIR_UNCERTAIN)
        return true;
    const XtfSchema *schema = is_send ? types->recvs : types->types[XTF_MESSAGES_SENDS].schema;
    const XtfMessageEnd *other = is_send ? &message.posting : &message.send;
    return xtf_location_path(directory, other->location, context->type_names[schema->id],
                             is_send ? message.receive : other->row, path, error);
}

XtfNode *xtf_message_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error)
{
    bool is_send;
    char *path;

    if (!is_end(directory, span, &is_send))
        return xtf_no_such(name, error);
    if (!match_target(directory, span, is_send, &path, error))
        return NULL;
    return path ? xtf_node_new_link(directory, path) : xtf_no_such(name, error);
}

bool xtf_message_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error)
{
    g_autofree char *path = NULL;
    bool is_send;

    if (!is_end(directory, span, &is_send))
        return true;
    if (!match_target(directory, span, is_send, &path, error))
        return false;
    if (path)
        xtf_lister_show(lister, "match", XTF_NODE_LINK);
    return true;
}
