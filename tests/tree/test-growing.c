/*
 * The tree of a growing trace. Commits add new locations, record types and names, and no line that was shown
 * changes.
 */
#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "tests/tree/traces/writing.h"

enum { STEPS = 60, LOCATIONS_MAX = 40 };

typedef struct {
    Writing writing;
    GRand *random;
    uint64_t complete;
    uint32_t n_locations, n_regions;
    uint64_t last[LOCATIONS_MAX], seq[LOCATIONS_MAX];
    GArray *times, *first_times; /* times of all records; of records of location 0 */
} Growth;

static void append_record(Growth *growth, uint32_t location)
{
    uint64_t t = MAX(growth->last[location], growth->complete) + (uint64_t)g_rand_int_range(growth->random, 0, 5);
    uint64_t seq = growth->seq[location]++;

    growth->last[location] = t;
    if (g_rand_int_range(growth->random, 0, 20) >= 12 - (gint32)location)
        writing_append(&growth->writing, location, XTF_MODEL_ENTERS_LEAVES,
                       &(XtfEntersLeavesRow){.time = t, .seq = seq, .region = (uint32_t)seq % growth->n_regions});
    else
        writing_append(&growth->writing, location, XTF_MODEL_SENDS,
                       &(XtfSendsRow){.time = t,
                                      .seq = seq,
                                      .region = XTF_NONE32,
                                      .peer = location,
                                      .comm = XTF_NONE32,
                                      .bytes = t * t * t,
                                      .request = XTF_NONE64});
    g_array_append_val(growth->times, t);
    if (location == 0)
        g_array_append_val(growth->first_times, t);
}

/* Adds locations, records and regions with longer and longer names. Then promises a complete time, below some of the
 * records, and commits. */
static void grow_trace(Growth *growth, int step)
{
    GError *error = NULL;

    for (int new = step % 7 == 0; new > 0 && growth->n_locations < LOCATIONS_MAX; new --) {
        uint32_t proc = growth->n_locations++;
        writing_define(&growth->writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){.id = proc, .proc = proc * proc, .thread = proc % 3});
    }
    g_autofree char *name = g_strnfill((gsize)(1 + step), 'a' + step % 26);
    writing_define(&growth->writing, XTF_MODEL_REGIONS,
                   &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(&growth->writing, name)});
    growth->n_regions++;
    for (int n = g_rand_int_range(growth->random, 0, 200); n > 0; n--)
        append_record(growth, (uint32_t)g_rand_int_range(growth->random, 0, (gint32)growth->n_locations));
    if (g_rand_int_range(growth->random, 0, 3) > 0)
        growth->complete += (uint64_t)g_rand_int_range(growth->random, 0, 30);
    cr_assert(xtf_writer_set_complete(growth->writing.writer, growth->complete, &error));
    cr_assert(xtf_writer_commit(growth->writing.writer, &error), "%s", error ? error->message : "");
}

static GString *read_all(XtfTree *tree, const char *path)
{
    Written written = {.tree = tree};
    return written_read(&written, path);
}

static uint64_t count_before(const GArray *times, uint64_t end)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < times->len; i++)
        n += g_array_index(times, uint64_t, i) < end;
    return n;
}

static void assert_count(XtfTree *tree, const char *path, uint64_t expected)
{
    GString *text = read_all(tree, path);
    cr_assert_eq(g_ascii_strtoull(text->str, NULL, 10), expected, "%s: %s, not %" G_GUINT64_FORMAT, path, text->str,
                 expected);
    g_string_free(text, TRUE);
}

/* Asserts that the file at a path begins with its text before, `*before`, and replaces that text with the new one. */
static void assert_continues(XtfTree *tree, const char *path, GString **before)
{
    GString *now = read_all(tree, path);

    cr_assert_geq(now->len, (*before)->len, "%s", path);
    cr_assert(memcmp(now->str, (*before)->str, (*before)->len) == 0, "%s: a line moved", path);
    g_string_free(*before, TRUE);
    *before = now;
}

static XtfNodeFuture future_of(XtfTree *tree, const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, &error);
    cr_assert(node, "%s", error ? error->message : "");
    return xtf_node_future(node);
}

/* Checks open calls. An open call lasts until the last record of its location so far, so no file that shows it is
 * final. */
static void check_calls(XtfTree *tree)
{
    GString *lines = read_all(tree, "calls/records"), *count = read_all(tree, "calls/count");
    uint64_t n = 0;

    for (gsize i = 0; i < lines->len; i++)
        n += lines->str[i] == '\n';
    cr_assert_eq(n, g_ascii_strtoull(count->str, NULL, 10));
    cr_assert_eq(future_of(tree, "calls/records"), XTF_NODE_CHANGES);
    cr_assert_eq(future_of(tree, "time/0%-50%/calls/records"), XTF_NODE_CHANGES);
    cr_assert_eq(future_of(tree, "time/0%-50%/longest"), XTF_NODE_CHANGES);
    if (n > 0)
        cr_assert_eq(future_of(tree, "calls/num/0/record"), XTF_NODE_CHANGES);
    g_string_free(lines, TRUE);
    g_string_free(count, TRUE);
}

static const char *const paths[] = {"records",         "proc/0/thread/0/records", "proc/0/records",
                                    "sends/records",   "enters_leaves/records",   "num/10-/records",
                                    "thread/1/records"};

static void check_commit(Growth *growth, XtfTree *tree, GString **texts)
{
    const XtfClock *clock = xtf_trace_clock(xtf_tree_trace(tree));
    uint64_t half = clock->origin + (MIN(clock->complete, clock->last + 1) - clock->origin + 1) / 2;

    assert_count(tree, "count", count_before(growth->times, growth->complete));
    assert_count(tree, "proc/0/thread/0/count", growth->first_times->len); /* a thread that the path names may grow */
    assert_count(tree, "proc/0/count",
                 count_before(growth->first_times, growth->complete)); /* new threads may appear */
    assert_count(tree, "time/0%-50%/count", count_before(growth->times, half));
    assert_count(tree, "time/0%-100%/proc/0/count", count_before(growth->first_times, growth->complete));
    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++)
        assert_continues(tree, paths[i], &texts[i]);
    check_calls(tree);
    cr_assert_eq(future_of(tree, "records"), XTF_NODE_GROWS);
    cr_assert_eq(future_of(tree, "count"), XTF_NODE_CHANGES);
    cr_assert_eq(future_of(tree, "time/0%-50%"), XTF_NODE_CHANGES);
    cr_assert_eq(future_of(tree, "time/0%-50%/count"),
                 clock->complete > clock->first ? XTF_NODE_FINAL : XTF_NODE_CHANGES);
    cr_assert_eq(future_of(tree, "time/1s-/records"), XTF_NODE_GROWS);
    cr_assert_eq(future_of(tree, "proc/0"), XTF_NODE_FINAL);
}

/* ---- Nodes of one name in two commits. */

static const char *const kept_paths[] = {"histogram",
                                         "totals",
                                         "bytes",
                                         "matrix",
                                         "info",
                                         "count",
                                         "records",
                                         "proc/0/histogram",
                                         "proc/0/totals",
                                         "time/0s-1ns/histogram",
                                         "time/0s-200ns/histogram",
                                         "time/0s-200ns/totals",
                                         "time/0s-400ns/totals",
                                         "time/0s-400ns/count"};

/* Files of the last commit. */
typedef struct {
    XtfTree *tree;
    XtfNode *nodes[G_N_ELEMENTS(kept_paths)];
    GString *texts[G_N_ELEMENTS(kept_paths)];
    unsigned n_same, n_changed;
} Shown;

static void forget_shown(Shown *shown)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(kept_paths) && shown->tree; i++) {
        g_string_free(shown->texts[i], TRUE);
        xtf_node_unref(shown->nodes[i]);
    }
    g_clear_pointer(&shown->tree, xtf_tree_free);
}

/* Asserts that files which count as the same as in the last commit have the same content. Takes the tree. */
static void assert_same_nodes(Shown *shown, XtfTree *tree)
{
    Shown now = {.tree = tree, .n_same = shown->n_same, .n_changed = shown->n_changed};
    GError *error = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(kept_paths); i++) {
        now.nodes[i] = xtf_tree_resolve(tree, kept_paths[i], &error);
        cr_assert(now.nodes[i], "%s: %s", kept_paths[i], error ? error->message : "");
        now.texts[i] = read_all(tree, kept_paths[i]);
        if (!shown->tree)
            continue;
        bool equal = g_string_equal(now.texts[i], shown->texts[i]);
        bool same = xtf_node_is_same(shown->nodes[i], now.nodes[i]);
        cr_assert(!same || equal, "%s has changed, but counts as the same", kept_paths[i]);
        now.n_same += same;
        now.n_changed += !equal && now.texts[i]->len == shown->texts[i]->len;
    }
    forget_shown(shown);
    *shown = now;
}

static XtfTree *open_tree(const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    cr_assert(trace, "%s", error ? error->message : "");
    return xtf_tree_new_growing(trace, &error);
}

/* FORMAT R31, R32 */
Test(growing, lines_never_move)
{
    Growth growth = {.random = g_rand_new_with_seed(5),
                     .times = g_array_new(FALSE, FALSE, 8),
                     .first_times = g_array_new(FALSE, FALSE, 8)};
    GString *texts[G_N_ELEMENTS(paths)];
    GError *error = NULL;
    Shown shown = {0};

    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++)
        texts[i] = g_string_new(NULL);
    writing_begin(&growth.writing);
    growth.n_locations = 2;
    for (uint32_t proc = 0; proc < 2; proc++)
        writing_define(&growth.writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){.id = proc, .proc = proc, .thread = proc});
    growth.n_regions = 0;
    for (int step = 0; step < STEPS; step++) {
        grow_trace(&growth, step);
        if (step < 15) /* earlier commits lack some of the paths */
            continue;
        g_autoptr(XtfTree) tree = open_tree(growth.writing.path);
        check_commit(&growth, tree, texts);
        cr_assert_not(xtf_tree_is_final(tree));
        assert_same_nodes(&shown, g_steal_pointer(&tree));
    }
    cr_assert(xtf_writer_close(growth.writing.writer, &error));
    g_autoptr(XtfTree) tree = open_tree(growth.writing.path);
    cr_assert(xtf_tree_is_final(tree));
    assert_same_nodes(&shown, open_tree(growth.writing.path));
    cr_assert(shown.n_same > 50 && shown.n_changed > 50, "%u same, %u changed", shown.n_same, shown.n_changed);
    forget_shown(&shown);
    assert_count(tree, "count", growth.times->len);
    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
        assert_continues(tree, paths[i], &texts[i]);
        cr_assert_eq(future_of(tree, paths[i]), XTF_NODE_FINAL);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++)
        g_string_free(texts[i], TRUE);
    g_unlink(growth.writing.path);
    g_free(growth.writing.path);
    g_array_unref(growth.times);
    g_array_unref(growth.first_times);
    g_rand_free(growth.random);
}
