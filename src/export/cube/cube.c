/*
 * Writes a profile in the format of Cube 4. It is a tar file of anchor.xml and, for each metric N, N.index and N.data.
 * N.index lists the rows that have values, and N.data has their values. docs/EXPORT.md describes the layout.
 */
#include <errno.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/export/cube/exporter.h"
#include "src/export/cube/profile.h"
#include "src/export/cube/tar.h"
#include "src/trace/select/matcher.h"

enum { COPY_BYTES = 1 << 16 };

static const char index_magic[] = "CUBEX.INDEX", data_magic[] = "CUBEX.DATA";

static bool fail_write(GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "cannot write: %s", g_strerror(errno));
}

/* ---- Members of the file. */

static bool write_anchor(XtfCubeProfile *profile, const uint32_t *deep, FILE *out, GError **error)
{
    FILE *file = tmpfile();
    char buffer[COPY_BYTES];
    size_t n;

    if (!file)
        return xtf_fail(error, XTF_ERROR_IO, "cannot make a temporary file: %s", g_strerror(errno));
    bool good = xtf_cube_write_anchor(profile, deep, file, error);
    if (good && (fflush(file) != 0 || ferror(file)))
        good = fail_write(error);
    uint64_t size = (uint64_t)ftello(file);
    rewind(file);
    good = good && xtf_tar_begin(out, "anchor.xml", size, error);
    while (good && (n = fread(buffer, 1, sizeof buffer, file)) > 0)
        good = xtf_tar_write(out, buffer, n, error);
    fclose(file);
    return good && xtf_tar_end(out, size, error);
}

/* Returns the numbers of the rows that have values. The caller unrefs the array. */
static GArray *list_rows(const XtfCubeMatrix *matrix, const uint32_t *order, uint32_t n)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < n; i++)
        if (xtf_cube_matrix_has(matrix, order[i]))
            g_array_append_val(rows, i);
    return rows;
}

/* Writes N.index: byte order (as the number 1), version, kind of index (sparse), number of rows, rows. */
static bool write_index(FILE *out, unsigned metric, const GArray *rows, GError **error)
{
    const struct __attribute__((packed)) {
        uint32_t order;
        uint16_t version;
        uint8_t kind;
        uint32_t n;
    } head = {.order = 1, .kind = 1, .n = rows->len};
    g_autofree char *name = g_strdup_printf("%u.index", metric);
    uint64_t size = sizeof index_magic - 1 + sizeof head + (uint64_t)rows->len * sizeof(uint32_t);

    return xtf_tar_begin(out, name, size, error) && xtf_tar_write(out, index_magic, sizeof index_magic - 1, error) &&
           xtf_tar_write(out, &head, sizeof head, error) &&
           xtf_tar_write(out, rows->data, rows->len * sizeof(uint32_t), error) && xtf_tar_end(out, size, error);
}

/* Converts values to the units of the file: ticks become seconds. */
static void convert_units(const XtfCubeProfile *profile, unsigned metric, const uint64_t *from, uint64_t *to,
                          uint32_t n)
{
    const XtfClock *clock = xtf_trace_clock(profile->job->tree->trace);

    for (uint32_t i = 0; i < n; i++)
        to[i] = xtf_cube_metrics[metric].unit == XTF_CUBE_SECONDS
                    ? xtf_f64_to_bits((double)from[i] * (double)clock->resolution_den / (double)clock->resolution_num)
                    : from[i];
}

static bool write_data(const XtfCubeProfile *profile, FILE *out, unsigned metric, const uint32_t *order,
                       const GArray *rows, GError **error)
{
    const XtfCubeMatrix *matrix = &profile->matrices[metric];
    const uint32_t n = matrix->n_columns;
    g_autofree char *name = g_strdup_printf("%u.data", metric);
    g_autofree uint64_t *values = g_new(uint64_t, (gsize)n + 1);
    uint64_t size = sizeof data_magic - 1 + (uint64_t)rows->len * n * sizeof *values;

    if (!xtf_tar_begin(out, name, size, error) || !xtf_tar_write(out, data_magic, sizeof data_magic - 1, error))
        return false;
    for (guint i = 0; i < rows->len; i++) {
        xtf_export_beat(profile->job);
        convert_units(profile, metric, xtf_cube_matrix_row(matrix, order[g_array_index(rows, uint32_t, i)]), values, n);
        if (!xtf_tar_write(out, values, n * sizeof *values, error))
            return false;
    }
    return xtf_tar_end(out, size, error);
}

static bool write_metrics(const XtfCubeProfile *profile, const uint32_t *deep, const uint32_t *wide, FILE *out,
                          GError **error)
{
    for (unsigned metric = 0; metric < XTF_N_CUBE_METRICS; metric++) {
        if (!profile->has[metric])
            continue;
        const uint32_t *order = xtf_cube_metric_is_inclusive(metric) ? wide : deep;
        g_autoptr(GArray) rows = list_rows(&profile->matrices[metric], order, xtf_cube_tree_n(&profile->tree));
        if (!write_index(out, metric, rows, error) || !write_data(profile, out, metric, order, rows, error))
            return false;
    }
    return true;
}

/* ---- The profile. */

/* Adds the values of each path to its parent, for inclusive metrics. A path has a greater number than its parent, so
 * the loop adds children first. */
static bool add_to_parents(XtfCubeProfile *profile, GError **error)
{
    for (unsigned metric = 0; metric < XTF_N_CUBE_METRICS; metric++) {
        for (uint32_t path = xtf_cube_tree_n(&profile->tree); xtf_cube_metric_is_inclusive(metric) && path-- > 0;) {
            xtf_export_beat(profile->job);
            uint32_t parent = xtf_cube_tree_at(&profile->tree, path)->parent;
            if (parent != XTF_CUBE_NO_PATH &&
                !xtf_cube_matrix_add_row(&profile->matrices[metric], path, parent, profile->folder, error))
                return false;
        }
    }
    return true;
}

static bool write_profile(XtfCubeProfile *profile, FILE *out, GError **error)
{
    g_autofree uint32_t *deep = NULL, *wide = NULL;

    xtf_cube_tree_orders(&profile->tree, &deep, &wide);
    return write_anchor(profile, deep, out, error) && write_metrics(profile, deep, wide, out, error) &&
           xtf_tar_close(out, error);
}

static bool write_file(XtfCubeProfile *profile, GError **error)
{
    const XtfExportJob *job = profile->job;
    FILE *out = fopen(job->output, "w");

    if (!out)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", job->final_path, g_strerror(errno));
    bool good = write_profile(profile, out, error);
    if (fclose(out) != 0 && good)
        good = fail_write(error);
    return good;
}

static void note_results(XtfCubeProfile *profile)
{
    xtf_export_note(profile->job, "%u call paths", xtf_cube_tree_n(&profile->tree));
    xtf_export_count(profile->job, profile->outside,
                     "messages and collective operations outside of all calls left out: "
                     "they have no call path");
    g_autofree char *deep =
        g_strdup_printf("calls deeper than %d counted for the call path of that depth", XTF_CUBE_DEPTH);
    xtf_export_count(profile->job, profile->tree.n_folded, deep);
}

static bool export_profile(XtfExportJob *job, GError **error)
{
    const XtfSelection *selection = job->selection;
    XtfCubeProfile profile = {
        .job = job, .folder = job->folder, .from = selection->time_from, .to = selection->time_to};

    if (selection->base)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "a profile is of a window of time (time/), not of records by number (num/)");
    if (job->tree->context.enters_leaves >= 0) {
        const XtfSchema *calls = xtf_trace_schema(job->tree->trace, (uint32_t)job->tree->context.enters_leaves);
        profile.has_calls =
            xtf_selection_has_type(selection, calls) && xtf_selection_matches(selection, calls) != XTF_MATCH_NONE;
    }
    if (!xtf_selected_locations_init(&profile.locations, &job->tree->context, selection, error))
        return false;
    xtf_cube_tree_init(&profile.tree);
    profile.roots = g_new(uint32_t, (gsize)profile.locations.n + 1);
    for (unsigned i = 0; i < XTF_N_CUBE_METRICS; i++)
        xtf_cube_matrix_init(&profile.matrices[i], profile.locations.n);
    for (unsigned i = 0; i < XTF_CUBE_ANALYSED; i++)
        profile.has[i] = true;
    bool good = xtf_cube_walk(&profile, error) && xtf_cube_add_analysis(&profile, error) &&
                add_to_parents(&profile, error) && write_file(&profile, error);
    if (good)
        note_results(&profile);
    for (unsigned i = 0; i < XTF_N_CUBE_METRICS; i++)
        xtf_cube_matrix_finish(&profile.matrices[i]);
    xtf_cube_tree_finish(&profile.tree);
    g_free(profile.roots);
    xtf_selected_locations_finish(&profile.locations);
    return good;
}

static bool is_profile(const char *path)
{
    return xtf_tar_begins_with(path, "anchor.xml");
}

const XtfExporter xtf_cube_exporter = {
    .name = "cube",
    .description = "a profile for Cube",
    .may_replace = is_profile,
    .run = export_profile,
};
