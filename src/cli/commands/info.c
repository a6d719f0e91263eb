#include <inttypes.h>
#include <stdio.h>

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "libxtf/writer.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/companion.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/model/part-name.h"
#include "src/model/process-properties.h"
#include "src/model/properties.h"
#include "src/model/schemas.h"
#include "src/trace/context/analyses.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/time-scale.h"
#include "src/tree/paths/tree.h"

static void print_time(const char *label, const XtfTimeScale *scale, uint64_t ticks)
{
    char text[XTF_TIME_TEXT_MAX] = "";

    printf("%-14s %s %s\n", label, xtf_time_scale_put(scale, ticks, text + sizeof text - 1),
           xtf_time_scale_unit(scale));
}

static uint64_t records(const XtfTrace *trace)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_RECORD)
            n += xtf_trace_n_rows(trace, i);
    return n;
}

/* Prints parts without a commit, parts that ended early, and parts left out. */
static void print_parts(const XtfTrace *trace)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(trace, &n);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *line = xtf_part_remark_line(remarks[i]);
        xtf_print_line(stdout, "%-14s %s", remarks[i]->kind == XTF_PART_LEFT_OUT ? "left out" : "", line);
    }
}

enum {
    ARRAYS_LOOKED_AT = 65536, /* most arrays whose codecs are looked at */
    ARRAYS_AT_ONCE = 256,
};

/* Adds the codecs of some arrays from the first-th on to the counts, which are by name. */
static bool count_codecs(XtfTrace *trace, uint64_t first, uint64_t n, uint64_t *counts, GError **error)
{
    const char *const *names = xtf_writer_codecs();
    XtfArray arrays[ARRAYS_AT_ONCE];

    if (!xtf_trace_get_arrays(trace, first, n, arrays, error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const char *codec = xtf_array_codec(&arrays[i]);
        for (unsigned k = 0; codec && names[k]; k++)
            counts[k] += g_str_equal(names[k], codec);
    }
    return true;
}

/* Prints the codec of all arrays, or how many arrays have which codec. Looks only at the first ARRAYS_LOOKED_AT arrays.
 */
static void print_codecs(XtfTrace *trace)
{
    const char *const *names = xtf_writer_codecs();
    g_autofree uint64_t *counts = g_new0(uint64_t, g_strv_length((char **)names));
    uint64_t all = xtf_trace_n_arrays(trace), n = MIN(all, (uint64_t)ARRAYS_LOOKED_AT), known = 0;
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    printf("%-14s ", "codec");
    bool read = true, mixed = false;
    for (uint64_t i = 0; i < n && read; i += ARRAYS_AT_ONCE)
        read = count_codecs(trace, i, MIN(n - i, (uint64_t)ARRAYS_AT_ONCE), counts, NULL);
    for (unsigned k = 0; names[k]; k++) {
        mixed = mixed || (counts[k] > 0 && counts[k] < n);
        known += counts[k];
    }
    if (!read || !mixed) {
        puts(info.codec);
        return;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned k = 0; names[k]; k++) {
        if (counts[k] > 0)
            g_string_append_printf(text, "%s%s of %" PRIu64, text->len ? ", " : "", names[k], counts[k]);
    }
    if (known < n)
        g_string_append_printf(text, ", unknown of %" PRIu64, n - known);
    printf("%s %sarrays\n", text->str, n < all ? "of the first " : "");
}

/* Prints the facts about the file. `import` is the import of an archive; NULL: it is not an archive. */
static void print_file(XtfTrace *trace, const char *path, const char *import)
{
    XtfTraceInfo info;
    uint64_t n = records(trace);

    xtf_trace_get_info(trace, &info);
    xtf_print_line(stdout, "%-14s %s", import ? "archive" : "file", path);
    if (import)
        xtf_print_line(stdout, "%-14s %s", "import", import);
    printf("%-14s XTF %u.%u, id ", "format", info.version_major, info.version_minor);
    for (size_t i = 0; i < sizeof info.file_id; i++)
        printf("%02x", info.file_id[i]);
    putchar('\n');
    if (info.writer)
        xtf_print_line(stdout, "%-14s %s", "written by", info.writer);
    printf("%-14s %" PRIu64 " bytes\n", "size", info.file_size);
    printf("%-14s %" PRIu64 " of %" PRIu32 " bytes\n", "pages", info.pages, info.page_size);
    if (info.parts > 0)
        printf("%-14s %" PRIu32 " files beside the anchor%s\n", "parts", info.parts,
               info.joined ? ", which is in memory" : "");
    if (info.volumes > 0)
        printf("%-14s %" PRIu32 "\n", "volumes", info.volumes);
    if (info.removed > 0)
        printf("%-14s %" PRIu32 " volumes, on purpose: the trace begins after their last record\n", "removed",
               info.removed);
    print_parts(trace);
    print_codecs(trace);
    printf("%-14s %" PRIu64 " (writer %" PRIu32 "%s)\n", "commit", info.commit, info.epoch,
           info.closed ? "" : ", not closed");
    printf("%-14s %" PRIu64 "\n", "arrays", xtf_trace_n_arrays(trace));
    printf("%-14s %" PRIu64, "records", n);
    if (n > 0)
        printf(" (%.2f bytes each, all included)", (double)info.file_size / (double)n);
    putchar('\n');
}

/* Prints the lengths of messages of a measured network. */
static void print_lengths(const XtfClock *clock)
{
    XtfTimeScale scale;

    printf("%-14s bytes: lengths of messages\n", "clock");
    xtf_time_scale_init(&scale, clock);
    scale.bytes = true;
    if (clock->first > clock->last)
        return;
    print_time("first length", &scale, clock->first - scale.origin);
    print_time("last length", &scale, clock->last - scale.origin);
}

static void print_clock(XtfTrace *trace, bool is_network)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    XtfTimeScale scale;

    if (is_network) {
        print_lengths(clock);
        return;
    }
    printf("%-14s %" PRIu64 " ticks in %" PRIu64 " s\n", "clock", clock->resolution_num, clock->resolution_den);
    if (xtf_trace_n_clock_maps(trace) > 0)
        printf("%-14s %" PRIu32 ", from local clocks to the time of the trace\n", "clock maps",
               xtf_trace_n_clock_maps(trace));
    if (clock->first > clock->last)
        return;
    xtf_time_scale_init(&scale, clock);
    print_time("first record", &scale, clock->first - scale.origin);
    print_time("last record", &scale, clock->last - scale.origin);
    print_time("duration", &scale, clock->last - clock->first);
    if (clock->complete > scale.origin && clock->complete < UINT64_MAX)
        print_time("complete up to", &scale, clock->complete - scale.origin);
}

/* Returns text of the file, escaped for a terminal. The caller frees it. */
static char *escape_text(const char *text)
{
    size_t width = xtf_text_width(text, false, SIZE_MAX);
    char *fit = g_malloc0(width + 1);

    xtf_text_put(fit, width, text, false, 0);
    return fit;
}

/* Prints the schemas of a kind that have rows; with `all`, also empty ones. Importers declare every schema of their
 * format, and most stay empty. */
static void print_schemas(const XtfTrace *trace, XtfSchemaKind kind, const char *title, bool all)
{
    bool titled = false;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        if (schema->kind != kind || (!all && xtf_trace_n_rows(trace, i) == 0))
            continue;
        if (!titled)
            printf("\n%-24s %14s %10s %8s\n", title, "rows", "bytes/row", "fields");
        titled = true;
        g_autofree char *name = escape_text(schema->name);
        printf("%-24s %14" PRIu64 " %10" PRIu32 " %8" PRIu32 "\n", name, xtf_trace_n_rows(trace, i), schema->row_size,
               schema->n_fields);
    }
}

/* Prints which tool analysed the trace. `left_out` is the reason why a companion beside it is not used; NULL: none. The
 * user may also have named a companion itself. */
static bool print_analysis(XtfTrace *trace, const char *path, const GError *left_out, GError **error)
{
    g_autofree char *companion = xtf_companion_beside(path);
    XtfTraceInfo info;
    const char *tool;

    if (!xtf_analyses_find_tool(trace, XTF_DERIVED_WAITS, &tool, error))
        return false;
    xtf_trace_get_info(trace, &info);
    g_autofree char *text = tool ? escape_text(tool) : g_strdup("none (xtf analyze finds who waited for whom)");
    xtf_print_line(stdout, "%-14s %s", "analysis", text);
    if (left_out)
        xtf_print_line(stdout, "%-14s one beside the trace is not used: %s", "", left_out->message);
    else if (info.companion && g_file_test(companion, G_FILE_TEST_EXISTS))
        xtf_print_line(stdout, "%-14s %s", "", companion);
    return true;
}

/* Prints which derived rows are hidden, and why. */
static bool print_outdated(XtfTrace *trace, GError **error)
{
    g_autofree bool *outdated = NULL;

    if (!xtf_analyses_find_outdated(trace, &outdated, error))
        return false;
    for (uint32_t i = 0; outdated && i < xtf_trace_n_schemas(trace); i++)
        if (outdated[i]) {
            g_autofree char *name = escape_text(xtf_trace_schema(trace, i)->name);
            printf("%s: made with other clocks than the trace has now, so it is not shown: run xtf analyze again\n",
                   name);
        }
    return true;
}

/* Prints the runs of a trace that joins several, each with the window that shows it alone. */
static bool print_runs(XtfTrace *trace, GError **error)
{
    const XtfTable *table;
    XtfTimeScale scale;

    if (!xtf_trace_table(trace, XTF_TABLE_RUNS, &table, error))
        return false;
    if (!table || table->n_rows == 0 || !xtf_schema_equal(table->schema, xtf_model_schema(XTF_MODEL_RUNS)))
        return true;
    xtf_time_scale_init(&scale, xtf_trace_clock(trace));
    printf("%-14s %" PRIu64 ", one after another\n", "runs", table->n_rows);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        char first[XTF_TIME_TEXT_MAX] = "", end[XTF_TIME_TEXT_MAX] = "";
        const char *name;
        XtfRunRow row;
        memcpy(&row, table->rows + i * sizeof row, sizeof row);
        if (!xtf_trace_string(trace, row.name, &name, error))
            return false;
        g_autofree char *shown_name = escape_text(name);
        if (row.first > row.last)
            printf("  %s: %" PRIu32 " processes, no records\n", shown_name, row.processes);
        else
            printf("  %s: %" PRIu32 " processes, time/%s-%s\n", shown_name, row.processes,
                   xtf_time_scale_put(&scale, row.first - MIN(row.first, scale.origin), first + sizeof first - 1),
                   xtf_time_scale_put(&scale, row.last + 1 - MIN(row.last + 1, scale.origin), end + sizeof end - 1));
    }
    return true;
}

static bool print_properties(XtfTrace *trace, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_PROPERTIES, &table, error))
        return false;
    const XtfField *name = table ? xtf_schema_field(table->schema, "name") : NULL;
    const XtfField *value = table ? xtf_schema_field(table->schema, "value") : NULL;
    if (!name || !value || table->n_rows == 0)
        return true;
    puts("\nproperties");
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const char *key, *text;
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, row), &key, error) ||
            !xtf_trace_string(trace, (uint32_t)xtf_field_get(value, row), &text, error))
            return false;
        g_autofree char *shown_key = escape_text(key);
        g_autofree char *shown_text = escape_text(text);
        printf("  %s: %s\n", shown_key, shown_text);
    }
    return true;
}

/* Prints what the recorder knows of the clocks of nodes, and that clocks contradict each other, if they do. */
static bool print_clocks(XtfTrace *trace, GError **error)
{
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, error);
    g_autofree char *sentence = tree ? xtf_tree_clock_sentence(tree) : NULL;
    g_autofree char *nodes = tree ? xtf_tree_node_clocks_sentence(tree) : NULL;

    if (nodes)
        xtf_print_line(stdout, "%-14s %s", "clock readings", nodes);
    if (sentence)
        xtf_print_line(stdout, "%-14s %s", "clocks", sentence);
    return tree != NULL;
}

static bool print_early_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) ends = xtf_early_ends(trace, error);

    for (guint i = 0; ends && i < ends->len; i++) {
        const XtfEarlyEnd *end = &g_array_index(ends, XtfEarlyEnd, i);
        g_autofree char *reason = escape_text(end->reason);
        printf("%-14s process %" PRIu32 ": %s\n", "ends early", end->proc, reason);
    }
    return ends != NULL;
}

/* Prints which parts of the program the recorder did not see. */
static bool print_missing(XtfTrace *trace, GError **error)
{
    unsigned missing;

    if (!xtf_missing_of(trace, &missing, error))
        return false;
    g_autofree char *text = xtf_missing_text(missing);
    if (text)
        printf("%-14s %s\n", "not recorded", text);
    return true;
}

/* Opens the file, or the anchor of the folder, without its companion. */
static XtfTrace *open_file(XtfTrace *trace, const char *path, GError **error)
{
    g_autofree char *base = xtf_companion_base(path);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.companion ? xtf_trace_open(base, NULL, error) : xtf_trace_ref(trace);
}

int xtf_command_info(int argc, char **argv)
{
    gboolean all = FALSE, incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"all", 'a', 0, G_OPTION_ARG_NONE, &all, "Show types and tables without rows, too", NULL},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    GError *error = NULL;
    bool is_network;

    if (!xtf_cli_parse(&argc, &argv, 1, "TRACE",
                       "Shows what is in a trace: size, clock, time range, and rows by type. Says whether the clocks\n"
                       "contradict each other, from a sample of the messages. Of an archive, describes its import.\n"
                       "\n"
                       "  xtf info run.xtf",
                       entries))
        return XTF_EXIT_USAGE;
    g_autofree char *path = NULL;
    g_autoptr(GError) left_out = NULL;
    const XtfSourceOptions source_options = {.left_out = &left_out, .incomplete = incomplete};
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(argv[1], &source_options, &path, &error);
    g_autoptr(XtfTrace) file = trace ? open_file(trace, path, &error) : NULL;
    if (!file)
        return xtf_cli_fail(error);
    g_autofree char *whole = g_canonicalize_filename(argv[1], NULL);
    print_file(file, argv[1], g_str_equal(whole, path) ? NULL : path);
    if (!xtf_trace_counts_bytes(trace, &is_network, &error))
        return xtf_cli_fail(error);
    print_clock(trace, is_network);
    if (!print_runs(trace, &error) || (!is_network && !print_clocks(trace, &error)) ||
        !print_early_ends(trace, &error) || !print_missing(trace, &error) ||
        (!is_network && !print_analysis(trace, argv[1], left_out, &error)))
        return xtf_cli_fail(error);
    print_schemas(trace, XTF_SCHEMA_RECORD, "record type", all);
    print_schemas(trace, XTF_SCHEMA_DERIVED, "derived", all);
    if (!print_outdated(trace, &error))
        return xtf_cli_fail(error);
    print_schemas(trace, XTF_SCHEMA_SIDE, "side rows", all);
    print_schemas(trace, XTF_SCHEMA_TABLE, "definitions", all);
    xtf_print_unknown(stdout, trace);
    return print_properties(trace, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
