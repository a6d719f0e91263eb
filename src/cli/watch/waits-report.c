#include "src/cli/watch/waits-report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "libxtf/trace.h"

const char *const xtf_waits_verdict_words[XTF_N_WAITS_VERDICTS] = {"unknown", "none",     "waits",   "possible",
                                                                   "ended",   "mismatch", "deadlock"};

#define NO_PROC UINT64_MAX

/* Returns the whole number in a cell; NO_PROC if the cell has none. */
static uint64_t proc_of(const XtfValueTable *table, guint line, const char *column)
{
    const char *text = xtf_value_table_text(table, line, column);

    return g_ascii_isdigit(text[0]) ? g_ascii_strtoull(text, NULL, 10) : NO_PROC;
}

static bool has_verdict(const XtfValueTable *table, guint line, const char *verdict)
{
    return g_str_equal(xtf_value_table_text(table, line, "verdict"), verdict);
}

static XtfWaitsVerdict worst_verdict(const XtfValueTable *table)
{
    XtfWaitsVerdict worst = XTF_WAITS_NONE;

    for (guint i = 0; i < xtf_value_table_n(table); i++) {
        XtfWaitsVerdict verdict = XTF_WAITS_OPEN;
        for (unsigned k = XTF_WAITS_OPEN; k < XTF_N_WAITS_VERDICTS; k++)
            if (has_verdict(table, i, xtf_waits_verdict_words[k]))
                verdict = (XtfWaitsVerdict)k;
        worst = MAX(worst, verdict);
    }
    return worst;
}

bool xtf_waits_report_init(XtfWaitsReport *report, XtfTree *tree, GError **error)
{
    *report = (XtfWaitsReport){.grows = !xtf_tree_is_final(tree)};
    if (!xtf_value_table_read_optional(tree, &report->table, error, "waiting"))
        return false;
    if (report->table)
        report->verdict = worst_verdict(report->table);
    else
        report->verdict = xtf_trace_find_schema(xtf_tree_trace(tree), "pending") ? XTF_WAITS_NONE : XTF_WAITS_UNKNOWN;
    return !report->table || xtf_value_table_n(report->table) == 0 ||
           xtf_value_table_read_optional(tree, &report->monitor, error, "monitor");
}

void xtf_waits_report_finish(XtfWaitsReport *report)
{
    g_clear_pointer(&report->table, xtf_value_table_free);
    g_clear_pointer(&report->monitor, xtf_value_table_free);
}

/* ---- Cycles and chains: from process to process, by `waits_for`. */

/* Maps processes to the first line of each. Threads of a process have lines of their own; the worst verdict is first.
 */
static GHashTable *lines_by_proc(const XtfValueTable *table)
{
    GHashTable *lines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (guint i = 0; i < xtf_value_table_n(table); i++) {
        uint64_t proc = proc_of(table, i, "proc");
        if (!g_hash_table_contains(lines, &proc))
            g_hash_table_insert(lines, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(i));
    }
    return lines;
}

/* Follows the waits of a process until a process that does not wait, or that was there before. Returns the processes in
 * their order, the last one included. */
static GArray *follow_waits(const XtfValueTable *table, GHashTable *lines, uint64_t proc)
{
    GArray *way = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    gpointer line;

    while (proc != NO_PROC) {
        g_array_append_val(way, proc);
        if (!g_hash_table_add(seen, g_memdup2(&proc, sizeof proc)) ||
            !g_hash_table_lookup_extended(lines, &proc, NULL, &line))
            break;
        proc = proc_of(table, GPOINTER_TO_UINT(line), "waits_for");
    }
    return way;
}

/* Returns a cycle of a deadlock, whose first line is given: a process, the ones on the way, the first again. The way
 * from the first line may lead into the cycle. */
static GArray *find_cycle(const XtfValueTable *table, GHashTable *lines, guint line)
{
    GArray *way = follow_waits(table, lines, proc_of(table, line, "proc"));
    guint first = 0;

    while (g_array_index(way, uint64_t, first) != g_array_index(way, uint64_t, way->len - 1))
        first++;
    g_array_remove_range(way, 0, first < way->len - 1 ? first : 0);
    return way;
}

/* True if a line is the first one of a deadlock. */
static bool begins_group(const XtfValueTable *table, guint line)
{
    return has_verdict(table, line, "deadlock") &&
           (line == 0 ||
            !g_str_equal(xtf_value_table_text(table, line, "group"), xtf_value_table_text(table, line - 1, "group")));
}

GArray *xtf_waits_report_chain(const XtfWaitsReport *report)
{
    GArray *longest = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (!report->table)
        return longest;
    g_autoptr(GHashTable) lines = lines_by_proc(report->table);
    for (guint i = 0; i < xtf_value_table_n(report->table); i++) {
        if (!has_verdict(report->table, i, "waits"))
            continue;
        GArray *way = follow_waits(report->table, lines, proc_of(report->table, i, "proc"));
        bool longer = way->len > 1 && way->len > longest->len;
        g_array_unref(longer ? longest : way);
        longest = longer ? way : longest;
    }
    return longest;
}

/* ---- Sentences. */

static void append_way(const GArray *way, GString *out)
{
    enum { SHOWN = 16 };

    for (guint i = 0; i < way->len; i++) {
        if (i == SHOWN && way->len > SHOWN + 1) {
            g_string_append_printf(out, " -> ... (%u more) -> %" PRIu64, way->len - SHOWN - 1,
                                   g_array_index(way, uint64_t, way->len - 1));
            break;
        }
        g_string_append_printf(out, "%s%" PRIu64, i ? " -> " : "", g_array_index(way, uint64_t, i));
    }
}

static guint count_verdict(const XtfValueTable *table, const char *verdict)
{
    guint n = 0;

    for (guint i = 0; table && i < xtf_value_table_n(table); i++)
        n += has_verdict(table, i, verdict);
    return n;
}

/* Appends "deadlock: processes 0 -> 3 -> 0 wait for each other" for a deadlock whose first line is given. */
static void append_deadlock(const XtfValueTable *table, GHashTable *lines, guint line, GString *out)
{
    g_autoptr(GArray) cycle = find_cycle(table, lines, line);
    const char *group = xtf_value_table_text(table, line, "group");
    guint n = 0;

    for (guint i = line; i < xtf_value_table_n(table) && has_verdict(table, i, "deadlock"); i++)
        n += g_str_equal(xtf_value_table_text(table, i, "group"), group);
    if (n == 1) {
        g_string_append_printf(out, "deadlock: process %s waits for itself", xtf_value_table_text(table, line, "proc"));
        return;
    }
    if (n + 1 > cycle->len)
        g_string_append_printf(out, "deadlock: %u threads wait for each other, among them processes ", n);
    else
        g_string_append(out, "deadlock: processes ");
    append_way(cycle, out);
    if (n + 1 <= cycle->len)
        g_string_append(out, " wait for each other");
}

/* True if two lines are of one collective operation, which its members take for different ones. */
static bool is_same_operation(const XtfValueTable *table, guint a, guint b)
{
    const char *operation = xtf_value_table_text(table, a, "operation");

    return !g_str_equal(operation, "-") && g_str_equal(operation, xtf_value_table_text(table, b, "operation")) &&
           g_str_equal(xtf_value_table_text(table, a, "comm"), xtf_value_table_text(table, b, "comm"));
}

/* Appends "processes 0, 2 in MPI_Barrier", of a line's operation and function. */
static void append_members(const XtfValueTable *table, guint line, GString *out)
{
    enum { SHOWN = 8 };
    const char *region = xtf_value_table_text(table, line, "region");
    guint n = 0, n_others = 0;
    g_autoptr(GString) procs = g_string_new(NULL);

    for (guint i = line; i < xtf_value_table_n(table); i++) {
        if (!is_same_operation(table, line, i) || !g_str_equal(region, xtf_value_table_text(table, i, "region")))
            continue;
        if (n < SHOWN)
            g_string_append_printf(procs, "%s%s", n ? ", " : "", xtf_value_table_text(table, i, "proc"));
        n_others += n++ >= SHOWN;
    }
    if (n_others > 0)
        g_string_append_printf(procs, " and %u more", n_others);
    g_string_append_printf(out, "process%s %s in %s", n > 1 ? "es" : "", procs->str, region);
}

/* Appends a sentence for each mismatch; with `first_only`, for the first one, without a newline. */
static void append_mismatches(const XtfValueTable *table, bool first_only, GString *out)
{
    for (guint i = 0; i < xtf_value_table_n(table); i++) {
        bool is_first = !g_str_equal(xtf_value_table_text(table, i, "operation"), "-");
        for (guint before = 0; before < i && is_first; before++)
            is_first = !is_same_operation(table, before, i);
        if (!is_first)
            continue;
        g_string_append_printf(out, "collective mismatch: as operation %s of communicator %s, ",
                               xtf_value_table_text(table, i, "operation"), xtf_value_table_text(table, i, "comm"));
        bool any = false;
        for (guint k = i; k < xtf_value_table_n(table); k++) {
            const char *region = xtf_value_table_text(table, k, "region");
            bool is_new = is_same_operation(table, i, k);
            for (guint before = i; before < k && is_new; before++)
                is_new = !is_same_operation(table, i, before) ||
                         !g_str_equal(region, xtf_value_table_text(table, before, "region"));
            if (!is_new)
                continue;
            g_string_append(out, any ? ", " : "");
            append_members(table, k, out);
            any = true;
        }
        if (first_only)
            return;
        g_string_append_c(out, '\n');
    }
}

static const char *plural(guint n)
{
    return n == 1 ? "" : "s";
}

/* Appends the headline of the lines with a verdict. */
static void append_headline(const XtfWaitsReport *report, XtfWaitsVerdict verdict, GString *out)
{
    const XtfValueTable *table = report->table;
    guint n = count_verdict(table, xtf_waits_verdict_words[verdict]);

    switch (verdict) {
    case XTF_WAITS_UNKNOWN:
        g_string_append(out, "no verdict: the trace has no records of open calls (type pending), which xtf record "
                             "writes");
        break;
    case XTF_WAITS_NONE:
        g_string_append(out, report->grows ? "no deadlock so far: no call of MPI has been open for two seconds"
                                           : "no deadlock: no call of MPI is open at the end");
        break;
    case XTF_WAITS_OPEN:
        g_string_append_printf(out, "%s%u thread%s for processes that do not wait",
                               report->verdict == XTF_WAITS_OPEN ? "no deadlock: " : "", n,
                               n == 1 ? " waits" : "s wait");
        break;
    case XTF_WAITS_POSSIBLE:
        g_string_append_printf(
            out,
            "a deadlock is possible: %u thread%s cannot continue, as far as the trace has all messages, "
            "threads and requests",
            n, plural(n));
        break;
    case XTF_WAITS_ENDED:
        g_string_append_printf(out, "%u thread%s for a process that has ended", n, n == 1 ? " waits" : "s wait");
        break;
    case XTF_WAITS_MISMATCH:
        append_mismatches(table, true, out);
        break;
    case XTF_WAITS_DEADLOCK:
    case XTF_N_WAITS_VERDICTS:
        break;
    }
}

char *xtf_waits_report_headline(const XtfWaitsReport *report)
{
    GString *out = g_string_new(NULL);

    if (report->verdict == XTF_WAITS_DEADLOCK) {
        g_autoptr(GHashTable) lines = lines_by_proc(report->table);
        append_deadlock(report->table, lines, 0, out);
    } else {
        append_headline(report, report->verdict, out);
    }
    return g_string_free(out, FALSE);
}

/* Appends "  process 3, in MPI_Recv, called by main(ring.c:13), since 0.61 s: waits for process 0, tag 7" and a
 * newline. */
static void append_line(const XtfValueTable *table, guint line, GString *out)
{
    const char *site = xtf_value_table_text(table, line, "site"), *needs = xtf_value_table_text(table, line, "needs");
    const char *tag = xtf_value_table_text(table, line, "tag"), *next = xtf_value_table_text(table, line, "waits_for");
    uint64_t n_targets = proc_of(table, line, "procs");

    g_string_append_printf(out, "  process %s", xtf_value_table_text(table, line, "proc"));
    if (xtf_value_table_has(table, "thread"))
        g_string_append_printf(out, ", thread %s", xtf_value_table_text(table, line, "thread"));
    g_string_append_printf(out, ", in %s", xtf_value_table_text(table, line, "region"));
    if (!g_str_equal(site, "-"))
        g_string_append_printf(out, ", called by %s", site);
    g_string_append_printf(out, ", since %s s", xtf_value_table_text(table, line, "since"));
    if (g_str_equal(needs, "unknown"))
        g_string_append(out, ": the trace does not say what for");
    else if (g_str_equal(next, "-"))
        g_string_append(out, ": can end");
    else if (n_targets > 1)
        g_string_append_printf(out, ": waits for process %s %s %" PRIu64 " more", next,
                               g_str_equal(needs, "any") ? "or any of" : "and", n_targets - 1);
    else
        g_string_append_printf(out, ": waits for process %s", next);
    if (!g_str_equal(tag, "-"))
        g_string_append_printf(out, ", tag %s", tag);
    g_string_append_c(out, '\n');
}

/* Appends up to `most` lines from `first` on that have a verdict, and a group if it is not NULL. */
static void append_lines(const XtfValueTable *table, guint first, const char *verdict, const char *group, guint most,
                         GString *out)
{
    guint n = 0;

    for (guint i = first; i < xtf_value_table_n(table); i++) {
        if (!has_verdict(table, i, verdict) || (group && !g_str_equal(xtf_value_table_text(table, i, "group"), group)))
            continue;
        if (n++ < most)
            append_line(table, i, out);
    }
    if (n > most)
        g_string_append_printf(out, "  ... and %u more\n", n - most);
}

static void append_deadlocks(const XtfValueTable *table, guint most, GString *out)
{
    g_autoptr(GHashTable) lines = lines_by_proc(table);

    for (guint i = 0; i < xtf_value_table_n(table); i++) {
        if (!begins_group(table, i))
            continue;
        append_deadlock(table, lines, i, out);
        g_string_append_c(out, '\n');
        append_lines(table, i, "deadlock", xtf_value_table_text(table, i, "group"), most, out);
    }
    guint behind = count_verdict(table, "behind");
    if (behind == 0)
        return;
    g_string_append_printf(out, "%u more thread%s for them\n", behind, behind == 1 ? " waits" : "s wait");
    append_lines(table, 0, "behind", NULL, most, out);
}

/* ---- Processes that do not wait, and for which others wait. */

/* Returns their lines in `monitor`, ascending. The caller unrefs the array. */
static GArray *find_awaited(const XtfWaitsReport *report)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GHashTable) awaited = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; report->monitor && i < xtf_value_table_n(report->table); i++)
        g_hash_table_add(awaited, (gpointer)xtf_value_table_text(report->table, i, "waits_for"));
    for (guint i = 0; report->monitor && i < xtf_value_table_n(report->monitor); i++)
        if (g_str_equal(xtf_value_table_text(report->monitor, i, "verdict"), "-") &&
            !g_str_equal(xtf_value_table_text(report->monitor, i, "last_region"), "-") &&
            g_hash_table_contains(awaited, xtf_value_table_text(report->monitor, i, "proc")))
            g_array_append_val(found, i);
    return found;
}

/* Appends lines: "process 2 is computing: its last call of MPI, MPI_Barrier, called by main(ring.c:12), ended at 0.5 s"
 */
static void append_awaited(const XtfWaitsReport *report, guint most, GString *out)
{
    g_autoptr(GArray) awaited = find_awaited(report);

    for (guint i = 0; i < awaited->len && i < most; i++) {
        guint line = g_array_index(awaited, guint, i);
        const char *activity = xtf_value_table_text(report->monitor, line, "activity"),
                   *site = xtf_value_table_text(report->monitor, line, "last_site");
        bool has_site = !g_str_equal(site, "-"), has_ended = g_str_equal(activity, "ended");
        g_string_append_printf(out, "process %s %s %s: its last call of MPI, %s%s%s, ended at %s s\n",
                               xtf_value_table_text(report->monitor, line, "proc"), has_ended ? "has" : "is", activity,
                               xtf_value_table_text(report->monitor, line, "last_region"),
                               has_site ? ", called by " : "", has_site ? site : "",
                               xtf_value_table_text(report->monitor, line, "last_left"));
    }
    if (awaited->len > most)
        g_string_append_printf(out, "... and %u more processes do not wait\n", awaited->len - most);
}

static void append_json_awaited(const XtfWaitsReport *report, GString *out)
{
    g_autoptr(GArray) awaited = find_awaited(report);

    for (guint i = 0; i < awaited->len; i++) {
        g_string_append(out, i ? ",{" : "{");
        xtf_value_table_json_cells(report->monitor, g_array_index(awaited, guint, i), out);
        g_string_append_c(out, '}');
    }
}

void xtf_waits_report_text(const XtfWaitsReport *report, guint most, GString *out)
{
    static const XtfWaitsVerdict verdicts[] = {XTF_WAITS_MISMATCH, XTF_WAITS_ENDED, XTF_WAITS_POSSIBLE, XTF_WAITS_OPEN};

    if (report->verdict <= XTF_WAITS_NONE) {
        append_headline(report, report->verdict, out);
        g_string_append_c(out, '\n');
        return;
    }
    append_deadlocks(report->table, most, out);
    append_mismatches(report->table, false, out);
    for (unsigned i = 0; i < G_N_ELEMENTS(verdicts); i++) {
        const char *word = xtf_waits_verdict_words[verdicts[i]];
        if (count_verdict(report->table, word) == 0)
            continue;
        if (verdicts[i] != XTF_WAITS_MISMATCH) { /* its sentences are there */
            append_headline(report, verdicts[i], out);
            g_string_append_c(out, '\n');
        }
        append_lines(report->table, 0, word, NULL, most, out);
    }
    append_awaited(report, most, out);
    g_autoptr(GArray) chain = xtf_waits_report_chain(report);
    if (chain->len < 3)
        return;
    g_string_append(out, "longest chain of waits: ");
    append_way(chain, out);
    g_string_append_c(out, '\n');
}

/* ---- JSON. */

static void append_numbers(const GArray *numbers, GString *out)
{
    g_string_append_c(out, '[');
    for (guint i = 0; i < numbers->len; i++)
        g_string_append_printf(out, "%s%" PRIu64, i ? "," : "", g_array_index(numbers, uint64_t, i));
    g_string_append_c(out, ']');
}

static void append_cycles(const XtfValueTable *table, GString *out)
{
    g_autoptr(GHashTable) lines = lines_by_proc(table);
    bool any = false;

    for (guint i = 0; i < xtf_value_table_n(table); i++) {
        if (!begins_group(table, i))
            continue;
        g_autoptr(GArray) cycle = find_cycle(table, lines, i);
        if (any)
            g_string_append_c(out, ',');
        append_numbers(cycle, out);
        any = true;
    }
}

void xtf_waits_report_json(const XtfWaitsReport *report, GString *out)
{
    g_autoptr(GArray) chain = xtf_waits_report_chain(report);
    guint n = report->table ? xtf_value_table_n(report->table) : 0;

    g_string_append_printf(out, "{\"verdict\":\"%s\",\"cycles\":[", xtf_waits_verdict_words[report->verdict]);
    if (n > 0)
        append_cycles(report->table, out);
    g_string_append(out, "],\"chain\":");
    append_numbers(chain, out);
    g_string_append(out, ",\"waiting\":[");
    for (guint i = 0; i < n; i++) {
        if (i)
            g_string_append_c(out, ',');
        g_string_append_c(out, '{');
        xtf_value_table_json_cells(report->table, i, out);
        g_string_append_c(out, '}');
    }
    g_string_append(out, "],\"awaited\":[");
    append_json_awaited(report, out);
    g_string_append(out, "]}");
}
