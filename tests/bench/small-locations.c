/*
 * Measures many small locations: their size in the file, and the time to open it.
 *
 *     small-locations [--locations N] [--dir DIR] [--rows]
 *
 * By default 100 000 locations with 10 records each, in 2 arrays: 6 calls of 34 bytes and 4 messages of 49.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "src/model/schemas.h"

enum { CALLS = 6, SENDS = 4 };

static void append_row(XtfWriter *writer, uint64_t location, uint32_t id, const void *row, GError **error)
{
    XtfArrayWriter *array = xtf_writer_array(writer, location, id, error);
    bench_check(array && xtf_array_writer_append(array, row, error), *error, "location %" PRIu64, location);
}

static void write_location(XtfWriter *writer, uint64_t location, uint32_t calls, uint32_t sends)
{
    g_autoptr(GError) error = NULL;
    uint64_t time = location * 7;

    for (uint64_t i = 0; i < CALLS; i++) {
        uint64_t leave = i % 2;
        XtfEntersLeavesRow row = {.time = time + 100 * i,
                                  .seq = i,
                                  .region = i / 2,
                                  .event = leave,
                                  .enter = leave,
                                  .outermost = 1,
                                  .depth = 1};
        append_row(writer, location, calls, &row, &error);
    }
    for (uint64_t i = 0; i < SENDS; i++) {
        XtfSendsRow row = {.time = time + 100 * i, .seq = CALLS + i, .peer = i, .bytes = 1024 * i};
        append_row(writer, location, sends, &row, &error);
    }
}

static void write_trace(const char *path, uint64_t locations)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = xtf_writer_create(path, NULL, &error);
    bench_check(writer, error, "%s", path);
    const XtfSchema *calls = xtf_model_schema(XTF_MODEL_ENTERS_LEAVES), *sends = xtf_model_schema(XTF_MODEL_SENDS);
    uint32_t calls_id, sends_id;

    bench_check(xtf_writer_add_schema(writer, calls, &calls_id, &error) &&
                    xtf_writer_add_schema(writer, sends, &sends_id, &error),
                error, "%s", path);
    double before = bench_now();
    for (uint64_t location = 0; location < locations; location++)
        write_location(writer, location, calls_id, sends_id);
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);

    double seconds = bench_now() - before, size = (double)bench_file_size(path);
    double raw = (double)locations * (CALLS * sizeof(XtfEntersLeavesRow) + SENDS * sizeof(XtfSendsRow));
    g_autofree char *figure =
        g_strdup_printf("%" PRIu64 " locations with 10 records each in 2 arrays: size", locations);
    bench_row(figure, "at most 3 times the raw records", NULL, "%.2f times: %.1f MB for %.1f MB; written in %.2f s",
              size / raw, size / 1e6, raw / 1e6, seconds);
}

static void work(const char *folder, void *data)
{
    g_autofree char *path = g_build_filename(folder, "small.xtf", NULL);

    write_trace(path, *(uint64_t *)data);
    bench_opening(path);
}

int main(int argc, char **argv)
{
    gint64 locations = 100000;
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"locations", 'n', 0, G_OPTION_ARG_INT64, &locations, "Locations (default: 100000)", "N"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Folder for the file", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && locations > 0, error, "bad arguments");
    uint64_t n = (uint64_t)locations;
    if (!rows_only)
        bench_head();
    return bench_in_folder(dir, work, &n);
}
