#include "src/tables/match/matching.h"

#include "libxtf/error.h"
#include "src/tables/match/message-shifts.h"

void xtf_matching_init(XtfMatching *matching, XtfTraceContext *context)
{
    *matching = (XtfMatching){.context = context};
    g_mutex_init(&matching->lock);
    xtf_message_types_find(&matching->types, context);
    xtf_message_processes_init(&matching->processes);
    xtf_message_shifts_init(&matching->shifts);
}

void xtf_matching_finish(XtfMatching *matching)
{
    xtf_message_processes_finish(&matching->processes);
    xtf_keeper_finish(&matching->shifts);
    g_clear_pointer(&matching->uses, g_free);
    g_mutex_clear(&matching->lock);
}

void xtf_matching_free_idle(XtfMatching *matching)
{
    xtf_keeper_empty(&matching->processes.kept);
}

bool xtf_matching_check(const XtfMatching *matching, GError **error)
{
    return !matching->types.missing || xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                                                "this trace's messages cannot be matched: %s", matching->types.missing);
}
