#include "src/tables/match/match.h"

#include "src/tables/match/message-finder.h"

/* Makes a finder for one query. */
static void begin_query(XtfMessageFinder *finder, XtfMatching *matching, bool only_certain)
{
    xtf_message_finder_init(finder, matching);
    finder->only_certain = only_certain;
}

bool xtf_match_send(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, false);
    return xtf_message_finder_send(&finder, send, message, error);
}

bool xtf_match_send_if_certain(XtfMatching *matching, const XtfMessageEnd *send, XtfMessage *message, GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, true);
    return xtf_message_finder_send(&finder, send, message, error);
}

bool xtf_match_receive(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message, GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, false);
    return xtf_message_finder_receive(&finder, receive, message, error);
}

bool xtf_match_receive_if_certain(XtfMatching *matching, const XtfMessageEnd *receive, XtfMessage *message,
                                  GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, true);
    return xtf_message_finder_receive(&finder, receive, message, error);
}

bool xtf_match_was_sent_before(XtfMatching *matching, const XtfMessageEnd *receive, bool *before, GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, false);
    return xtf_message_finder_was_sent_before(&finder, receive, before, error);
}

bool xtf_match_count_removed(XtfMatching *matching, uint32_t location, const uint8_t *posting, uint64_t *sends,
                             uint64_t *postings, GError **error)
{
    g_auto(XtfMessageFinder) finder;

    begin_query(&finder, matching, false);
    return xtf_message_finder_count_removed(&finder, location, posting, sends, postings, error);
}
