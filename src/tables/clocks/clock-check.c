#include "src/tables/clocks/clock-check.h"

#include <inttypes.h>

#include "src/tables/clocks/clock-counts.h"
#include "src/trace/text/number-words.h"

void xtf_clock_check_init(XtfClockCheck *check, XtfResolver *resolver, XtfMatching *matching,
                          XtfCollectives *collectives)
{
    *check = (XtfClockCheck){.resolver = resolver, .matching = matching, .collectives = collectives};
    g_mutex_init(&check->lock);
}

void xtf_clock_check_finish(XtfClockCheck *check)
{
    g_mutex_clear(&check->lock);
}

static bool count_effects(XtfClockCheck *check, GError **error)
{
    XtfClockFigures figures = {0};

    if (!xtf_clock_count_messages(check, &figures.messages, error) ||
        !xtf_clock_count_members(check, &figures.members, error))
        return false;
    check->figures = figures;
    return true;
}

const XtfClockFigures *xtf_clock_check_figures(XtfClockCheck *check, GError **error)
{
    if (g_atomic_int_get(&check->made))
        return &check->figures;
    g_mutex_lock(&check->lock);
    bool good = check->made || count_effects(check, error);
    if (good)
        g_atomic_int_set(&check->made, 1);
    g_mutex_unlock(&check->lock);
    return good ? &check->figures : NULL;
}

XtfClockVerdict xtf_clock_check_verdict(XtfClockCheck *check)
{
    const XtfClockFigures *figures = xtf_clock_check_figures(check, NULL);

    if (!figures)
        return XTF_CLOCKS_NOT_JUDGED;
    return xtf_clock_count_contradicts(&figures->messages.count) || xtf_clock_count_contradicts(&figures->members.count)
               ? XTF_CLOCKS_CONTRADICT
               : XTF_CLOCKS_AGREE;
}

/* ---- Sentence for the user. */

char *xtf_clock_check_sentence(XtfClockCheck *check)
{
    g_autoptr(GError) unread = NULL;
    const XtfClockFigures *figures = xtf_clock_check_figures(check, &unread);

    if (!figures)
        return g_strdup_printf("the clocks are not judged: %s", unread->message);
    bool by_messages = xtf_clock_count_contradicts(&figures->messages.count);
    const XtfClockEffects *effects = by_messages ? &figures->messages : &figures->members;
    if (!by_messages && !xtf_clock_count_contradicts(&figures->members.count))
        return NULL;
    double largest = xtf_seconds_of(&check->resolver->context->scale, effects->largest);
    return g_strdup_printf("%" PRIu64 " of %" PRIu64 "%s %s (%.1f %%) %s, by up to %s: the clocks disagree; xtf align "
                           "corrects them",
                           effects->count.impossible, effects->count.judged, effects->sampled ? " chosen" : "",
                           by_messages ? "messages" : "ends of collective operations",
                           100 * (double)effects->count.impossible / (double)effects->count.judged,
                           by_messages ? "are received before they are sent" : "come before another member begins",
                           xtf_word_seconds(largest).text);
}
