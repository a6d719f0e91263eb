/*
 * anchor.xml: metrics, regions and call paths. The system is in system.c.
 */
#include <inttypes.h>
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/export/cube/profile.h"
#include "src/export/cube/xml.h"
#include "src/model/region-class.h"

typedef struct {
    const XtfCubeProfile *profile;
    FILE *file;
    XtfModelTable regions;
    uint32_t *region_ids; /* by path: the number in the file */
    uint32_t n_regions;
    GError *error;
} Anchor;

/* A string of the trace; "" if it cannot be read, which sets the error. */
static const char *string_of(Anchor *anchor, uint32_t string)
{
    const char *text = "";

    if (!anchor->error)
        xtf_trace_string(anchor->profile->job->tree->trace, string, &text, &anchor->error);
    return anchor->error ? "" : text;
}

/* ---- Metrics. */

static void put_metric(const XtfCubeProfile *profile, FILE *file, int metric)
{
    static const char *const units[] = {"occ", "bytes", "sec"};
    const XtfCubeMetric *m = &xtf_cube_metrics[metric];

    fprintf(file, "<metric id=\"%d\" type=\"%s\">\n", metric,
            xtf_cube_metric_is_inclusive((unsigned)metric) ? "INCLUSIVE" : "EXCLUSIVE");
    xtf_cube_put_element(file, "disp_name", m->name);
    xtf_cube_put_element(file, "uniq_name", m->unique);
    xtf_cube_put_element(file, "dtype", m->unit == XTF_CUBE_SECONDS ? "DOUBLE" : "UINT64");
    xtf_cube_put_element(file, "uom", units[m->unit]);
    xtf_cube_put_element(file, "url", "");
    xtf_cube_put_element(file, "descr", xtf_cube_metric_description(m));
    for (int child = metric + 1; child < XTF_N_CUBE_METRICS; child++)
        if (xtf_cube_metrics[child].parent == metric && profile->has[child])
            put_metric(profile, file, child);
    fputs("</metric>\n", file);
}

static void put_metrics(const XtfCubeProfile *profile, FILE *file)
{
    fputs("<metrics>\n", file);
    for (int metric = 0; metric < XTF_N_CUBE_METRICS; metric++)
        if (xtf_cube_metrics[metric].parent == XTF_CUBE_NONE && profile->has[metric])
            put_metric(profile, file, metric);
    fputs("</metrics>\n", file);
}

/* ---- The program. */

/* A label as Score-P's profiles have it: COLL_ALL2ALL is all2all. */
static void put_word(FILE *file, const char *name, const char *label)
{
    g_autofree char *word = g_ascii_strdown(g_str_has_prefix(label, "COLL_") ? label + 5 : label, -1);
    xtf_cube_put_element(file, name, g_strdelimit(word, "_", ' '));
}

static void put_region(Anchor *anchor, uint32_t row, uint32_t id)
{
    FILE *file = anchor->file;
    uint8_t buffer[XTF_ROW_MAX];
    XtfRegionRow region = {.line = XTF_NONE32, .end_line = XTF_NONE32};
    const bool known = row < anchor->regions.n;

    if (known)
        region = *(const XtfRegionRow *)xtf_model_table_row(&anchor->regions, row, buffer);
    else if (row & XTF_CUBE_PROGRAM)
        region.name = row & ~XTF_CUBE_PROGRAM;
    /* A program is called by the name of its file. */
    g_autofree char *other = row & XTF_CUBE_PROGRAM ? g_path_get_basename(string_of(anchor, region.name))
                                                    : g_strdup_printf("region %" PRIu32, row);
    const char *name = known ? string_of(anchor, region.name) : other, *mangled = string_of(anchor, region.canonical);
    const char *paradigm = region.paradigm < XTF_NO_LABEL ? xtf_model_label(xtf_paradigm_names, region.paradigm) : "";
    const char *role = xtf_model_label(xtf_region_roles, region.role);
    bool is_mpi = XTF_CLASSES_MPI & XTF_CLASS_BIT(xtf_region_class(name, paradigm, role));

    fprintf(file, "<region id=\"%" PRIu32 "\" mod=\"", id);
    xtf_cube_put_text(file, string_of(anchor, region.file));
    fprintf(file, "\" begin=\"%d\" end=\"%d\">\n", (int)region.line, (int)region.end_line); /* none: -1 */
    xtf_cube_put_element(file, "name", name);
    xtf_cube_put_element(file, "mangled_name", mangled[0] ? mangled : name);
    put_word(file, "paradigm", is_mpi ? "MPI" : paradigm);
    put_word(file, "role", role);
    xtf_cube_put_element(file, "url", "");
    xtf_cube_put_element(file, "descr", string_of(anchor, region.description));
    fputs("</region>\n", file);
}

/* Regions are numbered as their call paths are met. */
static void put_regions(Anchor *anchor)
{
    const XtfCubeTree *tree = &anchor->profile->tree;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < tree->paths->len; i++) {
        gpointer region = GUINT_TO_POINTER(xtf_cube_tree_at(tree, i)->region);
        if (!g_hash_table_contains(seen, region)) {
            put_region(anchor, GPOINTER_TO_UINT(region), anchor->n_regions);
            g_hash_table_insert(seen, region, GUINT_TO_POINTER(anchor->n_regions++));
        }
    }
    anchor->region_ids = g_new(uint32_t, (gsize)tree->paths->len + 1);
    for (guint i = 0; i < tree->paths->len; i++)
        anchor->region_ids[i] =
            GPOINTER_TO_UINT(g_hash_table_lookup(seen, GUINT_TO_POINTER(xtf_cube_tree_at(tree, i)->region)));
}

/* Numbers are those of the paths depth first, which is the order of the file. */
static void put_paths(Anchor *anchor, const uint32_t *deep)
{
    const XtfCubeTree *tree = &anchor->profile->tree;
    uint32_t depth = 0;

    for (uint32_t i = 0; i < tree->paths->len; i++) {
        for (; depth >= xtf_cube_tree_at(tree, deep[i])->depth; depth--)
            fputs("</cnode>\n", anchor->file);
        fprintf(anchor->file, "<cnode id=\"%" PRIu32 "\" calleeId=\"%" PRIu32 "\">\n", i, anchor->region_ids[deep[i]]);
        depth++;
    }
    for (; depth > 0; depth--)
        fputs("</cnode>\n", anchor->file);
}

bool xtf_cube_write_anchor(const XtfCubeProfile *profile, const uint32_t *deep, FILE *file, GError **error)
{
    Anchor anchor = {.profile = profile, .file = file};

    if (!xtf_model_table_load(&anchor.regions, profile->job->tree->trace, XTF_MODEL_REGIONS, error))
        return false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n"
          "<attr key=\"Cube Version\" value=\"4.4\"/>\n<attr key=\"Creator\" value=\"XTF\"/>\n",
          file);
    put_metrics(profile, file);
    fputs("<program>\n", file);
    put_regions(&anchor);
    put_paths(&anchor, deep);
    fputs("</program>\n", file);
    xtf_model_table_finish(&anchor.regions);
    g_free(anchor.region_ids);
    if (anchor.error) {
        g_propagate_error(error, anchor.error);
        return false;
    }
    if (!xtf_cube_write_system(profile, file, error))
        return false;
    fputs("</cube>\n", file);
    return true;
}
