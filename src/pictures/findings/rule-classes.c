/* Rules about where the time is, by class of regions, and about calls that are too short to be recorded. */
#include <inttypes.h>

#include "src/pictures/findings/finding-rule.h"

/* The classes' part of all time is at least the threshold. Names the region with most of it. */
bool xtf_rule_classes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    const XtfProfileLine *most = NULL;
    uint64_t percent = xtf_finding_in_classes(job, rule->classes);

    for (guint i = 0; i < job->profile->len && !most; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (rule->classes & XTF_CLASS_BIT(line->class))
            most = line;
    }
    if (!most || percent < rule->threshold * XTF_HUNDREDTHS)
        return true;
    xtf_finding_add(job, rule, (double)percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                    "%s of %s %s, most of it in %s: %s in %s calls", xtf_word_percent((double)percent).text,
                    xtf_finding_whole(job), rule->words, most->name, xtf_word_seconds(most->exclusive).text,
                    xtf_word_count(most->calls).text);
    return true;
}

/* The part of all time before LEAVEs without an ENTER, in no other region, which says nothing of their regions. */
bool xtf_rule_before(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (line->class == XTF_N_CLASSES && line->percent >= rule->threshold * XTF_HUNDREDTHS)
            xtf_finding_add(job, rule, (double)line->percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                            "%s of all time, %s, is before LEAVEs without an ENTER: of which regions is not known",
                            xtf_word_percent((double)line->percent).text, xtf_word_seconds(line->exclusive).text);
    }
    return true;
}

/* A region that has a great part of all calls, very many and very short ones. */
bool xtf_rule_recording(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    enum { CALLS_LEAST = 1000000, MICROSECONDS_MOST = 10 };
    uint64_t calls = 0;

    for (guint i = 0; i < job->profile->len; i++)
        calls += g_array_index(job->profile, XtfProfileLine, i).calls;
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (line->calls < CALLS_LEAST || (double)line->calls < rule->threshold * (double)calls)
            continue;
        double each = line->exclusive * 1e6 / (double)line->calls;
        if (each >= MICROSECONDS_MOST)
            continue;
        xtf_finding_add(job, rule, (double)line->percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                        "%s calls of %s take %s each: the recording itself may cost time",
                        xtf_word_count(line->calls).text, line->name, xtf_word_seconds(each / 1e6).text);
    }
    return true;
}
