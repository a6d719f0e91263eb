/* Processes with many bytes; messages and calls of which one end is missing. */
#include <inttypes.h>

#include "src/pictures/findings/finding-rule.h"

/* Returns the part of all time that goes into messages. A rule scores this part times the part of messages that it
 * explains. */
static double share_of_messages(const XtfFindingJob *job)
{
    return (double)xtf_finding_in_classes(job, XTF_CLASS_BIT(XTF_CLASS_P2P) | XTF_CLASS_BIT(XTF_CLASS_WAIT)) /
           XTF_HUNDREDTHS;
}

/* ---- Bytes. */

enum { SENT, RECEIVED, N_SIDES, PROC = N_SIDES };
static const char *const bytes_columns[] = {"bytes_sent", "bytes_received", "proc"};

typedef struct {
    unsigned __int128 sum;
    uint64_t most, proc;
} Bytes;

typedef struct {
    Bytes sides[N_SIDES];
    uint64_t n;
} AllBytes;

static bool add_bytes(const XtfRowCell *cells, void *data, GError **error)
{
    AllBytes *all = data;

    all->n++;
    for (unsigned i = 0; i < N_SIDES; i++) {
        uint64_t bytes = xtf_row_number(&cells[i]);
        all->sides[i].sum += bytes;
        if (bytes > all->sides[i].most) {
            all->sides[i].most = bytes;
            all->sides[i].proc = xtf_row_number(&cells[PROC]);
        }
    }
    return true;
}

/* Reports a process that sends or receives more than `threshold` times the mean. */
bool xtf_rule_bytes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    AllBytes all = {0};
    XtfRowPicker picker = XTF_ROW_PICKER(bytes_columns, add_bytes, &all);

    if (!xtf_finding_has(job, job->selection, "bytes"))
        return true;
    if (!xtf_view_pick(job->views, "bytes", job->selection, &picker, error))
        return false;
    for (unsigned i = 0; i < N_SIDES; i++) {
        const Bytes *side = &all.sides[i];
        double mean = all.n ? (double)side->sum / (double)all.n : 0;
        if (side->sum > UINT64_MAX || (double)side->most <= rule->threshold * mean)
            continue;
        xtf_finding_add(job, rule, ((double)side->most - mean) / (double)side->sum * share_of_messages(job),
                        &(XtfFinding){.table = "bytes"},
                        "process %" PRIu64 " %s %s times as many bytes as the mean: %s of %s", side->proc,
                        i == SENT ? "sends" : "receives", xtf_word_ratio((double)side->most / mean).text,
                        xtf_word_bytes((double)side->most).text, xtf_word_bytes((double)side->sum).text);
    }
    return true;
}

/* ---- Counts of records. */

typedef struct {
    uint64_t sends, recvs, calls, enters_leaves;
} Counts;

enum { WHAT, VALUE };
static const char *const info_columns[] = {"what", "value"};

static bool add_count(const XtfRowCell *cells, void *data, GError **error)
{
    Counts *counts = data;
    const struct {
        const char *name;
        uint64_t *count;
    } wanted[] = {{"sends", &counts->sends},
                  {"recvs", &counts->recvs},
                  {"calls", &counts->calls},
                  {"enters_leaves", &counts->enters_leaves}};

    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        if (g_str_equal(cells[WHAT].text, wanted[i].name))
            *wanted[i].count = xtf_row_number(&cells[VALUE]);
    }
    return true;
}

static bool read_counts(XtfFindingJob *job, XtfSelection *selection, Counts *counts, GError **error)
{
    XtfRowPicker picker = XTF_ROW_PICKER(info_columns, add_count, counts);

    *counts = (Counts){0};
    return xtf_view_pick(job->views, "info", selection, &picker, error);
}

/* Leaves in *counts the messages between processes that were recorded. Reports the others: their partner was not. */
static bool separate_unrecorded(XtfFindingJob *job, const XtfFindingRule *rule, Counts *counts, GError **error)
{
    XtfNumberSet *procs = job->recorded.procs;
    Counts all = *counts;

    if (!procs)
        return true;
    g_autoptr(XtfSelection) own = xtf_selection_in_procs(job->selection, procs);
    g_autoptr(XtfSelection) inner = xtf_selection_by(own, XTF_BY_PEER, procs);
    if (!read_counts(job, inner, counts, error))
        return false;
    uint64_t n = all.sends + all.recvs - counts->sends - counts->recvs;
    if (n > 0)
        xtf_finding_add(job, rule, 0, &(XtfFinding){.table = "info"},
                        "%s of %s sends and receives have a partner that was not recorded", xtf_word_count(n).text,
                        xtf_word_count(all.sends + all.recvs).text);
    return true;
}

/* Reports messages of which one end is missing. Looks at the whole trace only: a part of it may have one end of a
 * message and lack the other. */
bool xtf_rule_unmatched(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    Counts counts;

    if (!job->is_whole_run || job->is_growing || !xtf_finding_is_of_processes(job) || job->selection->procs ||
        job->selection->threads)
        return true;
    if (!read_counts(job, job->selection, &counts, error) || !separate_unrecorded(job, rule, &counts, error))
        return false;
    uint64_t most = MAX(counts.sends, counts.recvs), least = MIN(counts.sends, counts.recvs);
    if ((double)(most - least) < rule->threshold)
        return true;
    bool was_off = job->classes->present & XTF_CLASS_BIT(XTF_CLASS_UNRECORDED);
    xtf_finding_add(job, rule, was_off ? 0 : (double)(most - least) / (double)most * share_of_messages(job),
                    &(XtfFinding){.table = "info"},
                    "%" PRIu64 " %s %s%s: %" PRIu64 " sends and %" PRIu64 " receives are recorded", most - least,
                    most - least == 1 ? "message lacks its" : "messages lack their",
                    counts.sends > counts.recvs ? "receive" : "send",
                    was_off ? ", as the partner was not recorded for a while" : "", counts.sends, counts.recvs);
    return true;
}

/* Reports calls that are entered but not left. */
bool xtf_rule_not_left(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    Counts counts;

    if (!job->is_whole_run || job->is_growing || !xtf_finding_is_of_processes(job))
        return true;
    if (!read_counts(job, job->selection, &counts, error))
        return false;
    uint64_t leaves = counts.enters_leaves - MIN(counts.calls, counts.enters_leaves);
    if ((double)counts.calls - (double)leaves < rule->threshold)
        return true;
    uint64_t open = counts.calls - leaves;
    xtf_finding_add(job, rule, (double)open / (double)counts.calls, &(XtfFinding){.table = "info"},
                    "at least %" PRIu64 " of %" PRIu64
                    " calls have no end: the program was ended in them, or records are lost",
                    open, counts.calls);
    return true;
}
