/*
 * Measures commits: a file with many commits, compared with the same file committed once.
 *
 *     commits [--commits N] [--calls N] [--dir DIR] [--rows]
 *
 * By default the bench writes 3600 commits of 256 locations with 240 calls each as fast as possible: an hour at one
 * commit a second. It keeps the number of commits that the default keeps at one commit a second.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "src/model/schemas.h"

enum {
    LOCATIONS = 256,
    REGIONS = 40,
    STRINGS = 1000000,
    STRING_COMMITS = 200,
    KEPT = XTF_KEEP_SECONDS_DEFAULT + 1 > XTF_KEEP_COMMITS_DEFAULT ? XTF_KEEP_SECONDS_DEFAULT + 1
                                                                   : XTF_KEEP_COMMITS_DEFAULT,
};

typedef struct {
    unsigned commits, rows;
} Settings;

static XtfWriter *create_writer(const char *path)
{
    g_autoptr(GError) error = NULL;
    const XtfWriterOptions options = {.no_sync = true, .keep_commits = KEPT, .keep_seconds = -1, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    bench_check(writer, error, "%s", path);
    return writer;
}

static XtfArrayWriter *array_of(XtfWriter *writer, uint64_t location)
{
    g_autoptr(GError) error = NULL;
    uint32_t id;
    bench_check(xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_ENTERS_LEAVES), &id, &error), error, "schema");
    XtfArrayWriter *array = xtf_writer_array(writer, location, id, &error);
    bench_check(array, error, "location %" PRIu64, location);
    return array;
}

typedef struct {
    XtfArrayWriter *array;
    uint64_t time, seq, random;
} Location;

/* Appends calls one after the other, of regions in turn as in a loop, with varying times. */
static void append_calls(Location *location, unsigned rows)
{
    g_autoptr(GError) error = NULL;

    for (unsigned i = 0; i < rows; i++, location->seq++) {
        uint64_t leave = location->seq % 2;
        location->time += 50 + bench_below(&location->random, 20);
        const XtfEntersLeavesRow row = {.time = location->time,
                                        .seq = location->seq,
                                        .region = (uint32_t)(location->seq / 2 % REGIONS),
                                        .event = (uint8_t)leave,
                                        .enter = leave,
                                        .outermost = 1,
                                        .depth = 1};
        bench_check(xtf_array_writer_append(location->array, &row, &error), error, "append");
    }
}

static void commit_rows(XtfWriter *writer)
{
    g_autoptr(GError) error = NULL;
    bench_check(xtf_writer_commit(writer, &error), error, "commit");
}

static uint64_t close_writer(XtfWriter *writer, const char *path)
{
    g_autoptr(GError) error = NULL;
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);
    return bench_file_size(path);
}

/* Writes rounds of calls, with a commit after each or only at the end. Returns the size of the file, and in *seconds
 * the mean time of a commit. */
static uint64_t write_rounds(const char *path, unsigned rounds, unsigned rows, bool each, double *seconds)
{
    XtfWriter *writer = create_writer(path);
    Location locations[LOCATIONS] = {0};

    for (unsigned i = 0; i < LOCATIONS; i++)
        locations[i] = (Location){.array = array_of(writer, i), .random = i};
    *seconds = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < LOCATIONS; i++)
            append_calls(&locations[i], rows);
        double before = bench_now();
        if (each)
            commit_rows(writer);
        *seconds += (bench_now() - before) / rounds;
    }
    return close_writer(writer, path);
}

static void many_locations(const char *path, unsigned commits, unsigned rows)
{
    double unused, seconds;
    uint64_t once = write_rounds(path, commits, rows, false, &unused);
    uint64_t often = write_rounds(path, commits, rows, true, &seconds);
    g_autofree char *figure = g_strdup_printf("%u commits of %d locations with %u calls each: size beside one commit",
                                              commits, LOCATIONS, rows);
    g_autofree char *time = bench_duration(seconds);

    bench_row(figure, "1.5 times", NULL, "%.2f times: %.1f MB for %.1f MB; a commit takes %s",
              (double)often / (double)once, (double)often / 1e6, (double)once / 1e6, time);
}

static void one_row(const char *path, unsigned commits)
{
    XtfWriter *writer = create_writer(path);
    Location location = {.array = array_of(writer, 0)};
    double before = bench_now();

    for (unsigned i = 0; i < commits; i++) {
        append_calls(&location, 1);
        commit_rows(writer);
    }
    g_autofree char *time = bench_duration((bench_now() - before) / commits);
    uint64_t written = xtf_writer_commit_bytes(writer);
    g_autofree char *figure = g_strdup_printf("%u commits of one row each: size", commits);
    bench_row(figure, NULL, NULL, "%.1f kB; %.1f kB written a commit, %s", (double)close_writer(writer, path) / 1e3,
              (double)written / 1e3 / commits, time);
}

static void many_strings(const char *path)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = create_writer(path);
    uint64_t bytes = 0;

    for (unsigned i = 0; i < STRINGS; i++) {
        char text[32];
        uint32_t id;
        bytes += (uint64_t)g_snprintf(text, sizeof text, "s%u", i) + sizeof(uint32_t) + 1;
        bench_check(xtf_writer_add_string(writer, text, &id, &error), error, "string");
        if (i % (STRINGS / STRING_COMMITS) == 0)
            commit_rows(writer);
    }
    uint64_t written = xtf_writer_commit_bytes(writer);
    bench_row("1 000 000 new strings in 200 commits: size beside the heap of strings", NULL, NULL,
              "%.2f times: %.1f MB for %.1f MB; %.1f MB written", (double)close_writer(writer, path) / (double)bytes,
              (double)bench_file_size(path) / 1e6, (double)bytes / 1e6, (double)written / 1e6);
}

static void work(const char *folder, void *data)
{
    const Settings *settings = data;
    g_autofree char *path = g_build_filename(folder, "commits.xtf", NULL);

    many_locations(path, settings->commits, settings->rows);
    one_row(path, settings->commits);
    many_strings(path);
}

int main(int argc, char **argv)
{
    gint commits = 3600, rows = 240;
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"commits", 'c', 0, G_OPTION_ARG_INT, &commits, "Commits (default: 3600)", "N"},
        {"calls", 'n', 0, G_OPTION_ARG_INT, &rows, "Rows a location and commit (default: 240)", "N"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Folder for the file", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && commits > 0 && rows > 0, error,
                "bad arguments");
    if (!rows_only)
        bench_head();
    Settings settings = {.commits = (unsigned)commits, .rows = (unsigned)rows};
    return bench_in_folder(dir, work, &settings);
}
