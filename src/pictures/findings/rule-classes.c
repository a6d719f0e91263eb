/* Rules about the time in classes of regions, and about calls that are too short to be recorded. */
#include <inttypes.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"

/* Reports classes whose part of all time is at least the threshold, and the region with most of it. */
bool xtf_rule_classes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    const XtfProfileLine *top_line = NULL;
    g_autofree char *called = NULL;
    uint64_t percent = xtf_finding_in_classes(job, rule->classes);

    for (guint i = 0; i < job->profile->len && !top_line; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (rule->classes & XTF_CLASS_BIT(line->class))
            top_line = line;
    }
    if (!top_line || percent < rule->threshold * XTF_HUNDREDTHS)
        return true;
    if (!xtf_finding_called(job, job->selection, top_line->row, &called, error))
        return false;
    xtf_finding_add(job, rule, (double)percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                    "%s of %s %s, most of it in %s%s: %s in %s calls", xtf_word_percent((double)percent).text,
                    xtf_finding_whole(job), rule->words, top_line->name, called,
                    xtf_word_seconds(top_line->exclusive).text, xtf_word_count(top_line->calls).text);
    return true;
}

/* Returns the processes of the selection that no finding compares, such as "2-3". The caller frees it. */
static char *name_left_out(const XtfFindingJob *job)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        XtfNumberRange range = {job->locations.procs[i].proc, job->locations.procs[i].proc};
        if (!xtf_number_set_contains(job->recorded.procs, range.first))
            g_array_append_val(ranges, range);
    }
    g_autoptr(XtfNumberSet) set = xtf_number_set_from_ranges((const XtfNumberRange *)(void *)ranges->data, ranges->len);
    xtf_number_set_print(set, text);
    return g_string_free(text, FALSE);
}

/* Reports time in which nothing was recorded, and the processes that findings leave out for it. */
bool xtf_rule_unrecorded(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    const XtfRecordedProcs *recorded = &job->recorded;
    const XtfFinding place = {.table = "class/unrecorded/calls/records"};
    XtfWord percent = xtf_word_percent(recorded->share * XTF_HUNDREDTHS);

    if (recorded->procs) {
        g_autofree char *left_out = name_left_out(job);
        bool several = strpbrk(left_out, "-,") != NULL;
        xtf_finding_add(job, rule, recorded->share, &place,
                        "process%s %s %s recorded less than the others, or not at all, and %s in no other finding: %s "
                        "of all time was not recorded",
                        several ? "es" : "", left_out, several ? "were" : "was", several ? "are" : "is", percent.text);
    } else if (recorded->share >= rule->threshold) {
        xtf_finding_add(job, rule, recorded->share, &place, "recording was off for %s of all time", percent.text);
    }
    return true;
}

/* Reports the part of all time before LEAVEs without an ENTER and outside of all other regions. Which regions it was
 * spent in is unknown. */
bool xtf_rule_before(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (line->class == XTF_N_CLASSES && line->percent >= rule->threshold * XTF_HUNDREDTHS)
            xtf_finding_add(job, rule, (double)line->percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                            "%s of all time, %s, is before LEAVEs without an ENTER: its regions are not known",
                            xtf_word_percent((double)line->percent).text, xtf_word_seconds(line->exclusive).text);
    }
    return true;
}

/* Reports regions with the threshold's part of all calls or more, if the calls are very many and very short. */
bool xtf_rule_recording(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    enum { CALLS_MIN = 1000000, MICROSECONDS_MAX = 10 };
    uint64_t calls = 0;

    for (guint i = 0; i < job->profile->len; i++)
        calls += g_array_index(job->profile, XtfProfileLine, i).calls;
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (line->calls < CALLS_MIN || (double)line->calls < rule->threshold * (double)calls)
            continue;
        double each = line->exclusive * 1e6 / (double)line->calls;
        g_autofree char *called = NULL;
        if (each >= MICROSECONDS_MAX)
            continue;
        if (!xtf_finding_called(job, job->selection, line->row, &called, error))
            return false;
        xtf_finding_add(job, rule, (double)line->percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "profile"},
                        "%s calls of %s%s%s take %s each: the recording itself may cost time",
                        xtf_word_count(line->calls).text, line->name, called, xtf_finding_comma(called),
                        xtf_word_seconds(each / 1e6).text);
    }
    return true;
}
