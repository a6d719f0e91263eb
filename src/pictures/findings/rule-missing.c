/* Events of the program that the recorder missed, and how to get them. */
#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

enum { EXCLUSIVE_PERCENT, CLASS };
static const char *const class_columns[] = {"exclusive%", "class"};

static bool read_outside_time(const XtfRowCell *cells, void *data, GError **error)
{
    uint64_t *percent = data;

    if (g_str_equal(cells[CLASS].text, "(no region)"))
        *percent = xtf_row_number(&cells[EXCLUSIVE_PERCENT]);
    return true;
}

/* Adds what any of the selected processes states as missing to *missing, a set of XTF_MISSING_BIT(). */
static bool read_missing(const XtfFindingJob *job, unsigned *missing, GError **error)
{
    uint32_t index;
    g_autoptr(GArray) stated = xtf_stated_missing(job->views->context->trace, error);

    for (guint i = 0; stated && i < stated->len; i++) {
        const XtfStatedMissing *one = &g_array_index(stated, XtfStatedMissing, i);
        if (xtf_selected_process_find(&job->locations, one->proc, &index))
            *missing |= one->missing;
    }
    return stated != NULL;
}

/* Reports missing functions if much of the time is in no region. Reports OpenMP only if it has threads, as a program
 * may load its runtime without use. */
bool xtf_rule_missing(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    uint64_t percent = 0;
    XtfRowPicker classes = XTF_ROW_PICKER(class_columns, read_outside_time, &percent);
    unsigned missing = 0;

    if (!job->is_whole_run || !xtf_finding_is_of_processes(job) || !xtf_finding_has(job, job->selection, "classes"))
        return true;
    if (!read_missing(job, &missing, error))
        return false;
    if (!missing)
        return true;
    if (!xtf_view_pick(job->views, "classes", job->selection, &classes, error))
        return false;
    if (!(missing & XTF_MISSING_BIT(XTF_MISSING_TEAMS)))
        missing &= ~XTF_MISSING_RUNTIMES;
    if (percent < rule->threshold * XTF_HUNDREDTHS)
        missing &= ~XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS);
    g_autofree char *text = xtf_missing_text(missing);
    g_autofree char *outside =
        g_strdup_printf("; %s of all time is in no region", xtf_word_percent((double)percent).text);
    if (text)
        xtf_finding_add(job, rule, (double)percent / XTF_HUNDREDTHS, &(XtfFinding){.table = "classes"},
                        "not recorded: %s%s", text, missing & XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS) ? outside : "");
    return true;
}
