#include "answers.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    FILE_BYTES = 16 << 20, /* most bytes read of a file of the tree; no trace of the tests has a larger one */
};

static const char *const directories[] = {"/",      "definitions", "by",       "proc",      "proc/0", "time/10%-20%",
                                          "frames", "waits",       "clusters", "average",   "calls",  "by/proc",
                                          "pair",   "delays",      "ideal",    "length/all"};
static const char *const files[] = {"info",
                                    "columns",
                                    "index.html",
                                    "findings",
                                    "profile",
                                    "efficiency",
                                    "classes",
                                    "waits/profile",
                                    "records",
                                    "matrix.svg",
                                    "messages",
                                    "unmatched",
                                    "critical/profile",
                                    "delays/profile",
                                    "time/0%-50%/timeline.svg",
                                    "frames/50/run",
                                    "frames/50/state",
                                    "links",
                                    "README",
                                    "critical/callpaths",
                                    "definitions/regions",
                                    "histogram.svg",
                                    "time/0%-50%/profile.svg",
                                    "count",
                                    "totals",
                                    "histogram",
                                    "time/10%-60%/count"};

G_STATIC_ASSERT(G_N_ELEMENTS(directories) + G_N_ELEMENTS(files) == N_ANSWERS);

const char *answers_path(unsigned i)
{
    return i < G_N_ELEMENTS(directories) ? directories[i] : files[i - G_N_ELEMENTS(directories)];
}

void answers_clear(Answers *answers)
{
    for (unsigned i = 0; i < N_ANSWERS; i++) {
        if (answers->texts[i])
            g_string_free(answers->texts[i], TRUE);
        g_free(answers->errors[i]);
    }
    *answers = (Answers){0};
}

static bool add_name(const char *name, XtfNodeKind kind, void *data)
{
    g_string_append_printf(data, "%s %d\n", name, kind);
    return true;
}

static bool read_file(XtfNode *file, GString *text, GError **error)
{
    size_t length = 0;

    g_string_set_size(text, MIN(xtf_node_size(file), FILE_BYTES));
    bool good = xtf_node_read(file, 0, text->str, text->len, &length, error);
    g_string_truncate(text, good ? length : 0);
    return good;
}

void answers_add(Answers *answers, unsigned i, XtfTree *tree)
{
    bool is_file = i >= G_N_ELEMENTS(directories);
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, answers_path(i), &error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (node && (is_file ? read_file(node, text, &error) : xtf_node_list(node, 0, add_name, text, &error)))
        answers->texts[i] = g_steal_pointer(&text);
    else
        answers->errors[i] = g_strdup_printf("%d %s", error->code, error->message);
    g_clear_error(&error);
}

bool answers_correct(const Answers *whole, const Answers *answers, unsigned i)
{
    const GString *text = answers->texts[i];

    if (text)
        return whole->texts[i] && (g_string_equal(text, whole->texts[i]) ||
                                   g_strstr_len(text->str, (gssize)text->len, "clocks are not judged"));
    return !whole->texts[i] || g_ascii_strtoll(answers->errors[i], NULL, 10) != XTF_ERROR_NOT_FOUND;
}
