/*
 * values of a metric whose values are not all of one type: integers with a sign and without become doubles together.
 */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/model/labels.h"
#include "src/model/schemas.h"
#include "src/query/tree/tree.h"

enum { UINT64 = 4, INT64 = 8 }; /* rows of xtf_value_types */

typedef struct {
    uint64_t time;
    uint8_t type;
    uint64_t value;
} Value;

typedef struct {
    char *path;
    XtfTrace *trace;
    XtfTree *tree;
} Mounted;

static uint32_t add_schema(XtfWriter *writer, unsigned tag)
{
    uint32_t id;
    cr_assert(xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, NULL));
    return id;
}

static void add_metric(XtfWriter *writer)
{
    XtfMetricRow row = {.value_type = UINT64};
    uint32_t name;

    cr_assert(xtf_writer_add_string(writer, "mixed", &name, NULL));
    row.name = name;
    XtfTableWriter *table = xtf_writer_table(writer, add_schema(writer, XTF_MODEL_METRICS), NULL);
    cr_assert(table && xtf_table_writer_append(table, &row, NULL, NULL));
}

/* All in one location. */
static void add_values(XtfWriter *writer, const Value *values, unsigned n)
{
    XtfArrayWriter *counters = xtf_writer_array(writer, 7, add_schema(writer, XTF_MODEL_COUNTERS), NULL);
    XtfArrayWriter *side = xtf_writer_array(writer, 7, add_schema(writer, XTF_MODEL_METRIC_VALUES), NULL);

    for (unsigned i = 0; i < n; i++) {
        const XtfCountersRow counter = {
            .time = values[i].time, .seq = i, .region = XTF_NONE32, .metric_class = XTF_NONE32, .n_values = 1};
        const XtfMetricValuesRow value = {
            .time = values[i].time, .seq = i, .value_type = values[i].type, .value = values[i].value};
        cr_assert(xtf_array_writer_append(counters, &counter, NULL) && xtf_array_writer_append(side, &value, NULL));
    }
}

static void mount(Mounted *mounted, const Value *values, unsigned n)
{
    const XtfWriterOptions options = {.page_size = 4096, .no_sync = true};
    int fd = g_file_open_tmp("xtf-values-XXXXXX", &mounted->path, NULL);

    cr_assert(fd >= 0);
    close(fd);
    XtfWriter *writer = xtf_writer_create(mounted->path, &options, NULL);
    cr_assert(writer);
    add_metric(writer);
    add_values(writer, values, n);
    cr_assert(xtf_writer_close(writer, NULL));
    mounted->trace = xtf_trace_open(mounted->path, NULL, NULL);
    cr_assert(mounted->trace);
    mounted->tree = xtf_tree_new(mounted->trace, NULL);
}

static void unmount(Mounted *mounted)
{
    xtf_tree_free(mounted->tree);
    xtf_trace_unref(mounted->trace);
    g_unlink(mounted->path);
    g_free(mounted->path);
}

static void assert_line(const Mounted *mounted, unsigned number, const char *expected)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(mounted->tree, "values", NULL);
    g_autoptr(GRegex) blanks = g_regex_new(" +", 0, 0, NULL);
    GError *error = NULL;
    size_t length;

    cr_assert(node);
    g_autofree char *text = g_malloc0(xtf_node_size(node) + 1);
    cr_assert(xtf_node_read(node, 0, text, xtf_node_size(node), &length, &error), "%s", error ? error->message : "");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *line = g_regex_replace(blanks, g_strstrip(lines[number]), -1, 0, " ", 0, NULL);
    cr_assert_str_eq(line, expected);
}

Test(values, with_and_without_sign_become_doubles)
{
    static const Value values[] = {{0, UINT64, UINT64_MAX}, {0, INT64, (uint64_t)INT64_MIN}, {99, INT64, UINT64_MAX}};
    Mounted mounted;

    mount(&mounted, values, G_N_ELEMENTS(values));
    assert_line(&mounted, 1,
                "0.000000000 0.000000001 0 2 -9.2233720368547758e+18 4.611686018e+18 1.8446744073709552e+19 "
                "-9.2233720368547758e+18 mixed");
    assert_line(&mounted, 100, "0.000000099 0.000000100 0 1 -1 -1 -1 -1 mixed");
    unmount(&mounted);
}
