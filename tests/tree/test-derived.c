/* Derived types have their own directories, and views of all record types leave them out. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/tree/traces/writing.h"

enum { RECORDS = 500, DERIVED = 90 };

static const uint32_t DAMAGED = 77777; /* no string has this number */

static uint32_t add_derived_schema(XtfWriter *writer)
{
    static const XtfFieldSpec fields[] = {{"time", XTF_TYPE_U64, "time", "ticks", NULL, 0, NULL},
                                          {"wait", XTF_TYPE_U64, NULL, "ticks", NULL, 0, NULL},
                                          {0}};
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new("waits", XTF_SCHEMA_DERIVED, fields, &error);
    uint32_t id;

    cr_assert(schema && xtf_writer_add_schema(writer, schema, &id, &error), "%s", error ? error->message : "");
    return id;
}

/* Writes a trace with a row of the table `analyses`, or without the table if `analysis` is NULL. The row names
 * `waits` unless its string is damaged. */
static void write_trace(Written *written, const XtfAnalysisRow *analysis)
{
    Writing writing = {0};
    const char *const name = "MPI_Recv";

    writing_begin(&writing);
    const XtfRegionRow region = {.line = XTF_NONE32, .name = writing_string(&writing, name)};
    writing_define(&writing, XTF_MODEL_REGIONS, &region);
    const XtfLocationRow location = {.id = 5, .proc = 0, .thread = 0};
    writing_define(&writing, XTF_MODEL_LOCATIONS, &location);
    for (uint64_t i = 0; i < RECORDS; i++) {
        const XtfEntersLeavesRow row = {
            .time = 1000 + 10 * i, .seq = i, .event = i % 2, .enter = i % 2, .outermost = 1};
        writing_append(&writing, 5, XTF_MODEL_ENTERS_LEAVES, &row);
    }
    XtfArrayWriter *waits = xtf_writer_array(writing.writer, 5, add_derived_schema(writing.writer), NULL);
    for (uint64_t i = 0; i < DERIVED; i++) {
        const uint64_t row[] = {GUINT64_TO_LE(1500 + 10 * i), GUINT64_TO_LE(i)};
        cr_assert(xtf_array_writer_append(waits, row, NULL));
    }
    if (analysis) {
        XtfAnalysisRow row = *analysis;
        row.records = row.records == DAMAGED ? DAMAGED : writing_string(&writing, "waits");
        writing_define(&writing, XTF_MODEL_ANALYSES, &row);
    }
    writing_end(&writing, written);
}

/* Sets or removes the location's clock map, and opens the trace again. */
static void set_clock(Written *written, const XtfClockMap *map)
{
    GError *error = NULL;
    uint32_t number = 0;
    XtfWriter *writer = xtf_writer_open(written->path, NULL, &error);

    cr_assert(writer, "%s", error ? error->message : "");
    cr_assert(!map || xtf_writer_add_clock_map(writer, map, &number, NULL));
    cr_assert(xtf_writer_set_clock_map(writer, 5, number, NULL) && xtf_writer_close(writer, NULL));
    xtf_tree_free(written->tree);
    xtf_trace_unref(written->trace);
    written->trace = xtf_trace_open(written->path, NULL, NULL);
    written->tree = xtf_tree_new(written->trace, NULL);
    cr_assert(written->tree);
}

static uint64_t digest_of(const Written *written)
{
    uint64_t digest;
    cr_assert(xtf_trace_clocks_digest(written->trace, &digest, NULL));
    return digest;
}

static bool is_shown(const Written *written, const char *path)
{
    GError *error = NULL;
    XtfNode *node = xtf_tree_resolve(written->tree, path, &error);

    cr_assert(node || g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s", error ? error->message : "");
    cr_assert(node || strstr(error->message, "clocks have changed"), "%s", error->message);
    g_clear_error(&error);
    if (node)
        xtf_node_unref(node);
    return node;
}

static void assert_shows(const Written *written, const char *path, const char *expected)
{
    GString *text = written_read(written, path);
    cr_assert_str_eq(g_strstrip(text->str), expected, "%s", path);
    g_string_free(text, TRUE);
}

static bool note_name(const char *name, XtfNodeKind kind, void *data)
{
    g_ptr_array_add(data, g_strdup(name));
    return true;
}

static bool is_listed(const Written *written, const char *path, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    XtfNode *node = xtf_tree_resolve(written->tree, path, NULL);

    cr_assert(node && xtf_node_list(node, 0, note_name, names, NULL), "%s", path);
    xtf_node_unref(node);
    return g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL);
}

Test(derived, are_listed_where_records_of_all_types_are)
{
    const char *const with[] = {"/", "proc/0", "proc/0/thread/0", "time/10%-20%", "region/MPI_Recv", "zoom/1"},
                      *const without[] = {"enters_leaves", "calls", "at/10%", "num/3-10", "waits", "proc/0/waits"};
    g_auto(Written) written = {0};

    write_trace(&written, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(with); i++)
        cr_assert(is_listed(&written, with[i], "waits"), "%s", with[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(without); i++)
        cr_assert_not(is_listed(&written, without[i], "waits"), "%s", without[i]);
    /* A walk through the tree visits each process once. */
    cr_assert(is_listed(&written, "/", "proc") && !is_listed(&written, "waits", "proc"));
    cr_assert(is_listed(&written, "proc/0", "thread") && !is_listed(&written, "proc/0/waits", "thread"));
    cr_assert(is_shown(&written, "waits/proc/0/thread/0"));
}

/* FORMAT R35 */
Test(derived, are_shown_by_themselves)
{
    g_auto(Written) written = {0};

    write_trace(&written, NULL);
    const XtfClock *clock = xtf_trace_clock(written.trace);
    cr_assert_eq(clock->first, 1000);
    cr_assert_eq(clock->last, 1000 + 10 * (RECORDS - 1));
    assert_shows(&written, "count", "500");
    assert_shows(&written, "proc/0/count", "500");
    assert_shows(&written, "enters_leaves/count", "500");
    assert_shows(&written, "waits/count", "90");
    assert_shows(&written, "proc/0/waits/num/10-30/count", "20");
    assert_shows(&written, "waits/time/10%-20%/proc/0/count", "0");
    assert_shows(&written, "waits/time/30%-40%/proc/0/count", "60"); /* 1798 to 2396: the trace has ticks 0 to 5990 */

    GString *records = written_read(&written, "records"), *waits = written_read(&written, "waits/records");
    unsigned lines = 0;
    for (const char *at = records->str; (at = strchr(at, '\n')); at++)
        lines++;
    cr_assert_eq(lines, RECORDS);
    cr_assert_null(strstr(records->str, "waits"));
    lines = 0;
    for (const char *at = waits->str; (at = strchr(at, '\n')); at++)
        lines++;
    cr_assert_eq(lines, DERIVED);
    g_string_free(records, TRUE);
    g_string_free(waits, TRUE);
}

/* FORMAT R36 */
Test(derived, are_not_shown_if_they_were_made_with_other_clocks)
{
    const XtfClockKnot knots[] = {{1500, 1600, false}, {2500, 2601, false}};
    const XtfClockMap map = {.n_knots = 2, .knots = knots};
    g_auto(Written) without = {0}, written = {0};
    XtfAnalysisRow analysis = {0};

    write_trace(&without, NULL);
    const uint64_t none = analysis.clocks = digest_of(&without);
    write_trace(&written, &analysis);
    cr_assert_eq(digest_of(&written), none); /* the digest depends on the locations, not on the file */
    cr_assert(is_shown(&written, "/waits") && is_shown(&written, "/proc/0/waits"));
    set_clock(&written, &map);
    cr_assert_neq(digest_of(&written), none);
    cr_assert_not(is_shown(&written, "/waits"));
    cr_assert_not(is_shown(&written, "/proc/0/waits"));
    cr_assert_not(is_listed(&written, "/", "waits") || is_listed(&written, "/proc/0/thread/0", "waits"));
    assert_shows(&written, "count", "500");
    set_clock(&written, NULL);
    cr_assert(is_shown(&written, "/waits"));
    set_clock(&without, &map);
    cr_assert(is_shown(&without, "/waits")); /* the trace has no clock maps */
}

Test(derived, are_listed_if_their_clocks_are_unknown)
{
    const char *const directories[] = {"/", "proc/0", "proc/0/thread/0", "time/10%-20%", "zoom/1"};
    const XtfAnalysisRow damaged = {.records = DAMAGED};
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;

    write_trace(&written, &damaged);
    for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
        cr_assert(is_listed(&written, directories[i], "records"), "%s", directories[i]);
        cr_assert(is_listed(&written, directories[i], "waits"), "%s", directories[i]);
    }
    cr_assert(is_listed(&written, "proc/0/thread/0", "enters_leaves"));
    assert_shows(&written, "count", "500");
    cr_assert_null(xtf_tree_resolve(written.tree, "/waits", &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
}
