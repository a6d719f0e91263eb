/*
 * arrows/ of a selection: tables and pictures of messages, collective operations and moved tasks, one for each letter.
 * Also `run` of a frame.
 */
#include <string.h>

#include "src/pictures/frames/arrows.h"
#include "src/pictures/frames/run.h"
#include "src/pictures/frames/state-picture.h"
#include "src/tree/paths/entries.h"

static XtfNode *lookup_arrows(XtfNode *directory, const char *name, GError **error);
static bool list_arrows(XtfNode *directory, XtfLister *lister, GError **error);

static bool make_letter(XtfNode *file, XtfTableOutput *output, GError **error)
{
    return xtf_arrows_table(&file->tree->views, file->selection, file->letter, output, error);
}

/* Each read makes the table again: for many processes it is too long to keep with its node. */
static const XtfNodeClass letter_file = {.kind = XTF_NODE_FILE, .table = make_letter};
const XtfNodeClass xtf_arrows_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_arrows, .list = list_arrows};

XtfNode *xtf_arrows_dir_new(XtfNode *directory, const char *name, GError **error)
{
    if (!xtf_arrows_exist(&directory->tree->views, directory->selection))
        return xtf_not_found(error,
                             "the selection has no arrows: no messages, collective operations or tasks that moved");
    return xtf_node_new(directory, &xtf_arrows_dir);
}

static XtfNode *lookup_arrows(XtfNode *directory, const char *name, GError **error)
{
    const char *letters = xtf_arrow_letters_of(&directory->tree->context);
    const XtfPicture *picture = name[0] && strchr(letters, name[0]) ? xtf_picture_of_arrows(name) : NULL;

    if (picture) {
        if (!xtf_picture_check(&directory->tree->pictures, picture, directory->selection, error))
            return NULL;
        XtfNode *node = xtf_node_new(directory, &xtf_picture_file);
        node->picture = picture;
        return xtf_node_with_size(node, error);
    }
    if (!name[0] || name[1] || !strchr(letters, name[0]))
        return xtf_not_found(error, "the entries of arrows/ are LETTER and LETTER.svg for each letter of %s", letters);
    XtfNode *node = xtf_node_new(directory, &letter_file);
    node->letter = name[0];
    return xtf_node_with_size(node, error);
}

static bool list_arrows(XtfNode *directory, XtfLister *lister, GError **error)
{
    for (const char *letter = xtf_arrow_letters_of(&directory->tree->context); *letter; letter++) {
        const char table[] = {*letter, '\0'}, picture[] = {*letter, '.', 's', 'v', 'g', '\0'};
        xtf_lister_show(lister, table, XTF_NODE_FILE);
        const XtfPicture *letter_picture = xtf_picture_of_arrows(picture);
        if (letter_picture && xtf_picture_check(&directory->tree->pictures, letter_picture, directory->selection, NULL))
            xtf_lister_show(lister, picture, XTF_NODE_FILE);
    }
    return true;
}

/* ---- frames/RATE/K/run */

static bool make_run(XtfNode *file, XtfTableOutput *output, GError **error)
{
    xtf_table_output_init_rows(output);
    return xtf_run_table(&file->tree->views, file->window.frame, file->window.n_frames, file->window.from,
                         file->window.to, output, error);
}

static GString *run_text(XtfNode *file, GError **error)
{
    g_auto(XtfTableOutput) output = {0};
    return make_run(file, &output, error) ? xtf_run_text(&output) : NULL;
}

static bool run_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfTableOutput) output = {0};
    return make_run(file, &output, error) && xtf_row_sink_set_columns(sink, &output.grid, error) &&
           sink->add_rows(sink->data, &output.rows, 0, xtf_rows_n(&output.rows), error);
}

/* `run` shows facts of the whole run, which each commit may change. */
static const XtfNodeClass run_file = {.kind = XTF_NODE_FILE,
                                      .text = run_text,
                                      .keeps = true,
                                      .rows = run_rows,
                                      .same_by_size_if_final = xtf_node_never_same_by_size};

XtfNode *xtf_run_file_new(XtfNode *frame, const char *name, GError **error)
{
    XtfNode *node = xtf_node_new(frame, &run_file);

    node->window = frame->window;
    return xtf_node_with_size(node, error);
}
