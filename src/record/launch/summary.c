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

static void say(GPtrArray *lines, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void say(GPtrArray *lines, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(lines, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

/* "12.3 us", three digits or more of it. */
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

/* The processes that ended alike, on a line. */
static void say_ends(GPtrArray *lines, const GArray *processes)
{
    g_autoptr(GPtrArray) said = g_ptr_array_new();

    for (guint i = 0; i < processes->len; i++) {
        const char *end = xtf_recorded_text(&g_array_index(processes, XtfRecordedProcess, i), XTF_RECORD_END);
        g_autoptr(GArray) alike = g_array_new(FALSE, FALSE, sizeof(guint32));
        if (!end || g_ptr_array_find_with_equal_func(said, end, g_str_equal, NULL))
            continue;
        g_ptr_array_add(said, (gpointer)end);
        for (guint j = i; j < processes->len; j++) {
            const XtfRecordedProcess *other = &g_array_index(processes, XtfRecordedProcess, j);
            if (g_strcmp0(xtf_recorded_text(other, XTF_RECORD_END), end) == 0)
                g_array_append_val(alike, other->number);
        }
        g_autofree char *ranges = xtf_process_ranges(alike);
        XtfEndKind how;
        int64_t number;
        say(lines, "  process%s %s: %s", alike->len == 1 ? "" : "es", ranges,
            xtf_end_parse(end, &how, &number) && how == XTF_END_UNKNOWN ? "end not seen" : end);
    }
}

/* Waits and losses are remarks. */
static void say_cost(GPtrArray *lines, const GArray *processes)
{
    uint64_t overhead = 0;

    for (guint i = 0; i < processes->len; i++)
        overhead =
            MAX(overhead, xtf_recorded_number(&g_array_index(processes, XtfRecordedProcess, i), "record.overhead_ns"));
    g_autofree char *most = show_time(overhead);
    if (overhead > 0)
        say(lines, "  recording took a process %s at most, as far as is known", most);
}

static void say_unrecorded(GPtrArray *lines, const GArray *processes)
{
    g_auto(GStrv) functions = xtf_recorded_names(processes, "record.unrecorded.");
    g_autofree char *names = g_strjoinv(", ", functions);

    if (*functions)
        say(lines,
            "  calls that move no data, or find nothing, are counted, not recorded: %s "
            "(definitions/definition_properties has the numbers, xtf record --all-calls records them)",
            names);
}

/* What the program has that is not recorded, and how to get it. */
static bool say_missing(GPtrArray *lines, XtfTrace *trace, GError **error)
{
    unsigned missing;

    if (!xtf_missing_of(trace, &missing, error))
        return false;
    g_autofree char *text = xtf_missing_text(missing);
    if (text)
        say(lines, "  not recorded: %s", text);
    return true;
}

/* What is told by part stands once in the trace, or once for each part. */
static bool say_remarks(GPtrArray *lines, XtfTrace *trace, GError **error)
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
        say(lines, "  %s", text);
    }
    if (n > REMARKS_SHOWN)
        say(lines, "  and %" PRIu64 " more remarks, in the trace's definitions/remarks", n - REMARKS_SHOWN);
    return true;
}

bool xtf_record_is_whole(XtfTrace *trace, bool *whole, GError **error)
{
    static const char *const losses[] = {"record.dropped", "record.lost", "record.without_ring"};
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
    say(lines, "%s: %" PRIu64 " records of %u process%s, %" PRIu64 " bytes, %.1f a record", path, n, processes->len,
        processes->len == 1 ? "" : "es", info.file_size, n > 0 ? (double)info.file_size / (double)n : 0.0);
    say_ends(lines, processes);
    say_cost(lines, processes);
    say_unrecorded(lines, processes);
    if (!say_missing(lines, trace, error) || !say_remarks(lines, trace, error))
        return NULL;
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}
