#include "src/record/launch/summary.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/process-properties.h"
#include "src/model/schemas.h"
#include "src/record/launch/process-table.h"

enum {
    REMARKS_SHOWN = 10,
};

static void add_summary_line(GPtrArray *lines, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_summary_line(GPtrArray *lines, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(lines, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

/* Formats a time with three digits or more: "12.3 us". */
static char *show_time(uint64_t ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if ((double)ns >= units[i].ns)
            return g_strdup_printf("%.3g %s", (double)ns / units[i].ns, units[i].unit);
    return g_strdup_printf("%" PRIu64 " ns", ns);
}

/* Adds a line for each way to end, with its processes. */
static void add_ends(GPtrArray *lines, const GArray *processes)
{
    g_autoptr(GPtrArray) seen_ends = g_ptr_array_new();

    for (guint i = 0; i < processes->len; i++) {
        const char *end = xtf_recorded_text(&g_array_index(processes, XtfRecordedProcess, i), XTF_RECORD_END);
        g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
        if (!end || g_ptr_array_find_with_equal_func(seen_ends, end, g_str_equal, NULL))
            continue;
        g_ptr_array_add(seen_ends, (gpointer)end);
        for (guint j = i; j < processes->len; j++) {
            const XtfRecordedProcess *process = &g_array_index(processes, XtfRecordedProcess, j);
            if (g_strcmp0(xtf_recorded_text(process, XTF_RECORD_END), end) == 0)
                g_array_append_val(numbers, process->number);
        }
        g_autofree char *ranges = xtf_process_ranges(numbers);
        XtfEndKind end_kind;
        int64_t status;
        add_summary_line(lines, "  process%s %s: %s", numbers->len == 1 ? "" : "es", ranges,
                         xtf_end_parse(end, &end_kind, &status) && end_kind == XTF_END_UNKNOWN ? "end not seen" : end);
    }
}

/* Adds a line with the processes that --ranks does not name. */
static void add_left_out(GPtrArray *lines, const GArray *processes)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));

    for (guint i = 0; i < processes->len; i++) {
        const XtfRecordedProcess *process = &g_array_index(processes, XtfRecordedProcess, i);
        if (xtf_recorded_text(process, XTF_RECORD_LEFT_OUT))
            g_array_append_val(numbers, process->number);
    }
    g_autofree char *ranges = xtf_process_ranges(numbers);
    if (numbers->len > 0)
        add_summary_line(lines, "  process%s %s: not recorded between MPI_Init and MPI_Finalize (--ranks)",
                         numbers->len == 1 ? "" : "es", ranges);
}

/* Adds the cost of recording. Waits and losses are among the remarks. */
static void add_cost(GPtrArray *lines, const GArray *processes)
{
    uint64_t overhead = 0;

    for (guint i = 0; i < processes->len; i++)
        overhead =
            MAX(overhead, xtf_recorded_number(&g_array_index(processes, XtfRecordedProcess, i), "record.overhead_ns"));
    g_autofree char *longest = show_time(overhead);
    if (overhead > 0)
        add_summary_line(lines, "  recording took a process %s at most, as far as is known", longest);
}

static void add_unrecorded(GPtrArray *lines, const GArray *processes)
{
    g_auto(GStrv) functions = xtf_recorded_names(processes, "record.unrecorded.");
    g_autofree char *names = g_strjoinv(", ", functions);

    if (*functions)
        add_summary_line(lines,
                         "  calls that move no data, or find nothing, are counted, not recorded: %s "
                         "(definitions/definition_properties has the numbers, xtf record --all-calls records them)",
                         names);
}

/* Adds the program's features that were not recorded, and how to record them. */
static bool add_missing(GPtrArray *lines, XtfTrace *trace, GError **error)
{
    unsigned missing;

    if (!xtf_missing_of(trace, &missing, error))
        return false;
    g_autofree char *text = xtf_missing_text(missing);
    if (text)
        add_summary_line(lines, "  not recorded: %s", text);
    return true;
}

/* Adds the first remarks. A remark of a part may appear once, or once for each part. */
static bool add_remarks(GPtrArray *lines, XtfTrace *trace, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_REMARKS, &table, error))
        return false;
    const XtfField *texts = table ? xtf_schema_field(table->schema, "text") : NULL;
    uint64_t n = texts ? table->n_rows : 0;
    for (uint64_t i = 0; i < MIN(n, REMARKS_SHOWN); i++) {
        const char *text;
        uint32_t string = (uint32_t)xtf_field_get(texts, table->rows + i * table->schema->row_size);
        if (!xtf_trace_string(trace, string, &text, error))
            return false;
        add_summary_line(lines, "  %s", text);
    }
    if (n > REMARKS_SHOWN)
        add_summary_line(lines, "  and %" PRIu64 " more remarks, in the trace's definitions/remarks",
                         n - REMARKS_SHOWN);
    return true;
}

bool xtf_record_is_whole(XtfTrace *trace, bool *whole, GError **error)
{
    static const char *const losses[] = {XTF_RECORD_DROPPED, XTF_RECORD_LOST, XTF_RECORD_WITHOUT_RING};
    g_autoptr(GArray) processes = xtf_recorded_processes(trace, error);

    if (!processes)
        return false;
    *whole = true;
    for (guint i = 0; i < processes->len; i++) {
        const XtfRecordedProcess *process = &g_array_index(processes, XtfRecordedProcess, i);
        for (size_t j = 0; j < G_N_ELEMENTS(losses); j++)
            *whole &= xtf_recorded_number(process, losses[j]) == 0;
        *whole &= !xtf_recorded_text(process, XTF_RECORD_ENDED_EARLY);
    }
    return true;
}

char **xtf_record_summary(XtfTrace *trace, const char *path, GError **error)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) processes = xtf_recorded_processes(trace, error);
    uint64_t n = xtf_recorded_n_records(trace);
    XtfTraceInfo info;

    if (!processes)
        return NULL;
    xtf_trace_get_info(trace, &info);
    add_summary_line(lines, "%s: %" PRIu64 " records of %u process%s, %" PRIu64 " bytes, %.1f a record", path, n,
                     processes->len, processes->len == 1 ? "" : "es", info.file_size,
                     n > 0 ? (double)info.file_size / (double)n : 0.0);
    add_ends(lines, processes);
    add_left_out(lines, processes);
    add_cost(lines, processes);
    add_unrecorded(lines, processes);
    if (!add_missing(lines, trace, error) || !add_remarks(lines, trace, error))
        return NULL;
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}
