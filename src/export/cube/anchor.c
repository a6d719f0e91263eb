/*
 * Writes the metrics, regions and call paths of anchor.xml. The system's part is in system.c.
 */
#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/export/cube/profile.h"
#include "src/model/region-class.h"

typedef struct {
    const XtfCubeProfile *profile;
    XtfXml *xml;
    XtfModelTable regions;
    uint32_t *region_ids; /* by path: the region's number in the file */
    uint32_t n_regions;
    GError *error;
} Anchor;

/* Returns a string of the trace. If it cannot be read, sets anchor->error and returns "". */
static const char *read_string(Anchor *anchor, uint32_t string)
{
    const char *text = "";

    if (!anchor->error)
        xtf_trace_string(anchor->profile->job->tree->trace, string, &text, &anchor->error);
    return anchor->error ? "" : text;
}

/* ---- Metrics. */

static void put_metric(const XtfCubeProfile *profile, XtfXml *xml, int metric)
{
    static const char *const units[] = {"occ", "bytes", "sec"};
    const XtfCubeMetric *m = &xtf_cube_metrics[metric];

    xtf_xml_begin(xml, "metric");
    xtf_xml_signed(xml, "id", metric);
    xtf_xml_text(xml, "type", xtf_cube_metric_is_inclusive((unsigned)metric) ? "INCLUSIVE" : "EXCLUSIVE");
    xtf_xml_element(xml, "disp_name", m->name);
    xtf_xml_element(xml, "uniq_name", m->unique);
    xtf_xml_element(xml, "dtype", m->unit == XTF_CUBE_SECONDS ? "DOUBLE" : "UINT64");
    xtf_xml_element(xml, "uom", units[m->unit]);
    xtf_xml_element(xml, "url", "");
    xtf_xml_element(xml, "descr", xtf_cube_metric_description(m));
    for (int child = metric + 1; child < XTF_N_CUBE_METRICS; child++)
        if (xtf_cube_metrics[child].parent == metric && profile->has[child])
            put_metric(profile, xml, child);
    xtf_xml_end(xml);
}

static void put_metrics(const XtfCubeProfile *profile, XtfXml *xml)
{
    xtf_xml_begin(xml, "metrics");
    for (int metric = 0; metric < XTF_N_CUBE_METRICS; metric++)
        if (xtf_cube_metrics[metric].parent == XTF_CUBE_NONE && profile->has[metric])
            put_metric(profile, xml, metric);
    xtf_xml_end(xml);
}

/* ---- The program. */

/* Writes a label as Score-P's profiles have it: COLL_ALL2ALL becomes all2all. */
static void put_word(XtfXml *xml, const char *name, const char *label)
{
    g_autofree char *word = g_ascii_strdown(g_str_has_prefix(label, "COLL_") ? label + 5 : label, -1);
    xtf_xml_element(xml, name, g_strdelimit(word, "_", ' '));
}

static void put_region(Anchor *anchor, uint32_t row, uint32_t id)
{
    XtfXml *xml = anchor->xml;
    uint8_t buffer[XTF_ROW_MAX];
    XtfRegionRow region = {.line = XTF_NONE32, .end_line = XTF_NONE32};
    const bool known = row < anchor->regions.n;

    if (known)
        region = *(const XtfRegionRow *)xtf_model_table_row(&anchor->regions, row, buffer);
    else if (row & XTF_CUBE_PROGRAM)
        region.name = row & ~XTF_CUBE_PROGRAM;
    /* A program's region gets the name of the program's file. */
    g_autofree char *fallback = row & XTF_CUBE_PROGRAM ? g_path_get_basename(read_string(anchor, region.name))
                                                       : g_strdup_printf("region %" PRIu32, row);
    const char *name = known ? read_string(anchor, region.name) : fallback,
               *mangled = read_string(anchor, region.canonical);
    const char *paradigm = region.paradigm < XTF_NO_LABEL ? xtf_model_label(xtf_paradigm_names, region.paradigm) : "";
    const char *role = xtf_model_label(xtf_region_roles, region.role);
    bool is_mpi = XTF_CLASSES_MPI & XTF_CLASS_BIT(xtf_region_class(name, paradigm, role));

    xtf_xml_begin(xml, "region");
    xtf_xml_count(xml, "id", id);
    xtf_xml_text(xml, "mod", read_string(anchor, region.file));
    xtf_xml_signed(xml, "begin", (int32_t)region.line); /* the field `line` holds -1 if the line is unknown */
    xtf_xml_signed(xml, "end", (int32_t)region.end_line);
    xtf_xml_element(xml, "name", name);
    xtf_xml_element(xml, "mangled_name", mangled[0] ? mangled : name);
    put_word(xml, "paradigm", is_mpi ? "MPI" : paradigm);
    put_word(xml, "role", role);
    xtf_xml_element(xml, "url", "");
    xtf_xml_element(xml, "descr", read_string(anchor, region.description));
    xtf_xml_end(xml);
}

/* Writes the regions, numbered in the order of their first call paths. */
static void put_regions(Anchor *anchor)
{
    const XtfCubeTree *tree = &anchor->profile->tree;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < xtf_cube_tree_n(tree); i++) {
        gpointer region = GUINT_TO_POINTER(xtf_cube_tree_at(tree, i)->region);
        if (!g_hash_table_contains(seen, region)) {
            put_region(anchor, GPOINTER_TO_UINT(region), anchor->n_regions);
            g_hash_table_insert(seen, region, GUINT_TO_POINTER(anchor->n_regions++));
        }
    }
    anchor->region_ids = g_new(uint32_t, (gsize)xtf_cube_tree_n(tree) + 1);
    for (guint i = 0; i < xtf_cube_tree_n(tree); i++)
        anchor->region_ids[i] =
            GPOINTER_TO_UINT(g_hash_table_lookup(seen, GUINT_TO_POINTER(xtf_cube_tree_at(tree, i)->region)));
}

/* Writes the call paths, numbered depth first, which is the order of the file. */
static void put_paths(Anchor *anchor, const uint32_t *deep)
{
    const XtfCubeTree *tree = &anchor->profile->tree;
    uint32_t depth = 0;

    for (uint32_t i = 0; i < xtf_cube_tree_n(tree); i++) {
        for (; depth >= xtf_cube_tree_at(tree, deep[i])->depth; depth--)
            xtf_xml_end(anchor->xml);
        xtf_xml_begin(anchor->xml, "cnode");
        xtf_xml_count(anchor->xml, "id", i);
        xtf_xml_count(anchor->xml, "calleeId", anchor->region_ids[deep[i]]);
        depth++;
    }
    for (; depth > 0; depth--)
        xtf_xml_end(anchor->xml);
}

static void put_attribute(XtfXml *xml, const char *key, const char *value)
{
    xtf_xml_begin(xml, "attr");
    xtf_xml_text(xml, "key", key);
    xtf_xml_text(xml, "value", value);
    xtf_xml_end_empty(xml);
}

/* Writes the file, but for the end tag of <cube>. */
static bool put_cube(Anchor *anchor, const uint32_t *deep, GError **error)
{
    XtfXml *xml = anchor->xml;

    xtf_xml_begin(xml, "cube");
    xtf_xml_text(xml, "version", "4.4");
    put_attribute(xml, "Cube Version", "4.4");
    put_attribute(xml, "Creator", "XTF");
    put_metrics(anchor->profile, xml);
    xtf_xml_begin(xml, "program");
    put_regions(anchor);
    put_paths(anchor, deep);
    xtf_xml_end(xml);
    if (anchor->error) {
        g_propagate_error(error, g_steal_pointer(&anchor->error));
        return false;
    }
    return xtf_cube_write_system(anchor->profile, xml, error);
}

bool xtf_cube_write_anchor(const XtfCubeProfile *profile, const uint32_t *deep, FILE *file, GError **error)
{
    XtfXml xml;
    Anchor anchor = {.profile = profile, .xml = &xml};

    if (!xtf_model_table_load(&anchor.regions, profile->job->tree->trace, XTF_MODEL_REGIONS, error))
        return false;
    xtf_xml_init(&xml, file, (XtfXmlStyle){.has_end_tags = true, .leaves_characters = true});
    bool good = put_cube(&anchor, deep, error);
    if (good)
        xtf_xml_end(&xml);
    xtf_xml_finish(&xml);
    xtf_model_table_finish(&anchor.regions);
    g_free(anchor.region_ids);
    return good;
}
