/* Links of a wait to its event, its match, its culprit, and the wait that caused it. */
#include <criterion/criterion.h>
#include <string.h>

#include "src/model/wait-kinds.h"
#include "tests/tree/traces/writing.h"

/* Writes a wait of process 0 for process 1, and its cause, a wait of process 1 for process 0. */
static void write_pair(Written *written, const XtfWaitsRow *first, const XtfWaitsRow *second)
{
    Writing writing = {0};

    writing_begin(&writing);
    for (uint32_t proc = 0; proc < 2; proc++) {
        const uint64_t base = 10 * proc;
        writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = 5 + proc, .proc = proc});
        writing_append(&writing, 5 + proc, XTF_MODEL_ENTERS_LEAVES, &(XtfEntersLeavesRow){.time = 100, .outermost = 1});
        for (uint64_t i = 1; i < 4; i++)
            writing_append(&writing, 5 + proc, XTF_MODEL_SENDS,
                           &(XtfSendsRow){.time = 110 + base + i, .seq = 2 * i, .request = XTF_NONE64});
        for (uint64_t i = 1; i < 4; i++)
            writing_append(&writing, 5 + proc, XTF_MODEL_RECVS,
                           &(XtfRecvsRow){.time = 110 + base + i, .seq = 2 * i + 1, .request = XTF_NONE64});
        writing_append(&writing, 5 + proc, XTF_MODEL_WAITS, proc ? second : first);
    }
    writing_end(&writing, written);
}

static void assert_link(const Written *written, const char *path, const char *target)
{
    g_autofree char *directory = g_path_get_dirname(path), *name = g_path_get_basename(path);
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(written->tree, directory, NULL);

    cr_assert(node, "%s", path);
    g_autoptr(XtfNode) link = xtf_node_lookup(node, name, &error);
    if (target)
        cr_assert(link && g_str_equal(xtf_node_target(link), target), "%s: %s", path,
                  link ? xtf_node_target(link) : error->message);
    else
        cr_assert(!link && g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s: %s", path,
                  link ? xtf_node_target(link) : error->message);
    g_clear_error(&error);
}

Test(wait_links, links_lead_to_the_match_and_the_cause)
{
    XtfWaitsRow first = {.time = 112, .seq = 5, .amount = 2, .culprit = 1, .match = 2, .cause = 0}, second = first;
    g_auto(Written) written = {0};

    second.time = 120;
    second.seq = 2;
    second.event = XTF_LABEL_late_receiver;
    second.culprit = 0;
    second.match = 1;
    write_pair(&written, &first, &second);
    assert_link(&written, "waits/num/0/event", "../../../proc/0/thread/0/recvs/num/1");
    assert_link(&written, "waits/num/0/match", "../../../proc/1/thread/0/sends/num/2");
    assert_link(&written, "waits/num/0/culprit", "../../../proc/1/thread/0");
    assert_link(&written, "waits/num/0/cause", "../../../proc/1/thread/0/waits/num/0");
    assert_link(&written, "waits/num/1/event", "../../../proc/1/thread/0/sends/num/0");
    assert_link(&written, "waits/num/1/match", "../../../proc/0/thread/0/recvs/num/1");
    assert_link(&written, "sends/num/0/cause", NULL);
    /* The waits cause each other, so a path may repeat `cause` any number of times. */
    GString *text = written_read(&written, "proc/0/thread/0/waits/num/0/cause/cause/cause/record");
    cr_assert(strstr(text->str, "late_receiver"), "%s", text->str);
    g_string_free(text, TRUE);
}

Test(wait_links, links_without_target_are_absent)
{
    const XtfWaitsRow good = {.time = 112, .seq = 5, .amount = 2, .culprit = 1, .match = 2, .cause = 0};
    XtfWaitsRow rows[] = {good, good, good, good, good, good};
    static const char *const absent[][4] = {{"culprit", "match", "cause"},
                                            {"culprit", "match", "cause"},
                                            {"culprit", "match", "cause"},
                                            {"match"},
                                            {"cause"},
                                            {"event"}};

    rows[0].culprit = 7;
    rows[1].culprit = XTF_NONE32;
    rows[2].culprit_thread = 1;
    rows[3].match = 3;
    rows[4].cause = 1;
    rows[5].seq = 1000;
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(Written) written = {0};
        write_pair(&written, &rows[i], &good);
        for (unsigned j = 0; absent[i][j]; j++) {
            g_autofree char *path = g_strconcat("proc/0/thread/0/waits/num/0/", absent[i][j], NULL);
            assert_link(&written, path, NULL);
        }
        GString *text = written_read(&written, "waits/profile");
        g_string_free(text, TRUE);
    }
}
