#include "src/pictures/charts/profile-picture.h"

#include <inttypes.h>
#include <math.h>

#include "src/pictures/charts/measured-calls.h"
#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/text-width.h"

enum {
    SIZE = 512 << 10,
    TOP = 60,
    BOX = 20,         /* pixels of a level */
    LEVELS_MAX = 24,  /* levels that are drawn; a remark says if there are more */
    BOX_BYTES = 2400, /* most bytes of a box */
    NAME_SIZE = 12,   /* pixels of letters */
};

#define WIDTH_MIN 0.4 /* pixels */

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    XtfCallTree tree;
    uint64_t from, to;
    uint32_t deepest; /* deepest level that is drawn */
    bool is_cut;      /* true if some levels are too deep to be drawn */
    double scale;     /* pixels for one unit of an amount: a tick, or an instant */
} Picture;

static bool profile_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    *size = SIZE;
    return true;
}

/* ---- Boxes. */

static void draw_amount(Picture *picture, const XtfCallNode *node)
{
    const XtfTimeScale *scale = &picture->links.context->scale;
    uint64_t whole = xtf_call_node(&picture->tree, 0)->amount;
    double share = whole ? (double)node->amount / (double)whole : 0;

    if (picture->tree.source == XTF_CALL_TREE_SAMPLED) {
        xtf_draw(picture->drawing, "\n%.2f %% (+- %.2f), %" PRIu64 " of %" PRIu64 " instants", 100 * share,
                 whole ? 196 * sqrt(share * (1 - share) / (double)whole) : 0.0, node->amount, whole);
        return;
    }
    char ticks[XTF_TIME_TEXT_MAX], *text = ticks + sizeof ticks - 1;
    *text = '\0';
    text = xtf_time_scale_put(scale, node->amount, text);
    xtf_draw(picture->drawing, "\n%s s, %.2f %%", text, 100 * share);
    if (picture->tree.source == XTF_CALL_TREE_WALKED)
        xtf_draw(picture->drawing, ", %" PRIu64 " call%s", node->calls, node->calls == 1 ? "" : "s");
}

static void draw_name(Picture *picture, const char *name, bool dark, double x, double width, int y)
{
    g_autofree char *fitting = xtf_name_fitted(name, NAME_SIZE, width - 6);

    if (!fitting)
        return;
    xtf_draw(picture->drawing, "<text class=\"%s\" pointer-events=\"none\" x=\"%.1f\" y=\"%d\">",
             dark ? "xt-on-dark" : "xt-on-light", x + 3, y + 14);
    xtf_draw_text(picture->drawing, fitting, SIZE_MAX);
    xtf_draw(picture->drawing, "</text>");
}

static void draw_box(Picture *picture, const XtfCallNode *node, double x, double width)
{
    const XtfColours *colours = picture->job->colours;
    uint64_t line = MIN(node->line, colours->n - 1);
    int y = TOP + (int)(node->level - 1) * BOX;
    char colour[XTF_COLOUR_TEXT], region[24];
    g_autofree char *link = NULL;

    g_snprintf(region, sizeof region, "%%23%" PRIu64, line);
    if (line < picture->links.context->regions.n_rows)
        link = xtf_picture_link(&picture->links, picture->from, picture->to, &(XtfPictureTarget){.region = region});
    xtf_draw_link(picture->drawing, link, "timeline.svg");
    xtf_colour_print(colours->by_line[line], colour);
    xtf_draw(picture->drawing,
             "<rect class=\"xt-box\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>", x, y,
             fmax(width - 0.5, 0.3), BOX - 1, colour);
    xtf_draw_text(picture->drawing, colours->names[line], XTF_TITLE_NAME);
    draw_amount(picture, node);
    xtf_draw(picture->drawing, "</title></rect>");
    draw_name(picture, colours->names[line], xtf_colour_is_dark(colours->by_line[line]), x, width, y);
    xtf_draw(picture->drawing, "</a>\n");
}

/* Draws the children of a node from `x`, and all boxes below them. */
static void draw_children(Picture *picture, uint32_t number, double x)
{
    const XtfCallTree *tree = &picture->tree;

    if (xtf_call_node(tree, number)->level == LEVELS_MAX)
        return;
    for (uint32_t i = xtf_call_node(tree, number)->first_child; i != 0; i = xtf_call_node(tree, i)->next) {
        double width = (double)xtf_call_node(tree, i)->amount * picture->scale;
        if (width < WIDTH_MIN || xtf_drawing_left(picture->drawing) < BOX_BYTES)
            return; /* the other children are not wider */
        draw_box(picture, xtf_call_node(tree, i), x, width);
        draw_children(picture, i, x);
        x += width;
    }
}

/* ---- The whole picture. */

static void find_depth(Picture *picture)
{
    for (uint32_t i = 1; i < picture->tree.nodes->len; i++) {
        const XtfCallNode *node = xtf_call_node(&picture->tree, i);
        if ((double)node->amount * picture->scale < WIDTH_MIN)
            continue;
        picture->is_cut = picture->is_cut || node->level > LEVELS_MAX;
        picture->deepest = MAX(picture->deepest, MIN(node->level, LEVELS_MAX));
    }
}

static void draw_footer(Picture *picture, int y)
{
    if (xtf_call_node(&picture->tree, 0)->amount == 0) {
        xtf_draw_footer(picture->drawing, y, "No time was spent in calls here.");
        return;
    }
    static const char *const explanations[] = {
        [XTF_CALL_TREE_WALKED] = "A box is as wide as the time that its calls took, with all that they called.",
        [XTF_CALL_TREE_STORED] = "A box is as wide as the time that its calls took, with all that they called, as the "
                                 "analysis has stored it.",
        [XTF_CALL_TREE_SAMPLED] = "A box is as wide as the number of instants at which its call path was on the stack.",
    };
    bool is_part = picture->tree.source == XTF_CALL_TREE_SAMPLED && picture->tree.is_analysed;
    g_autofree char *text = g_strdup_printf("%s%s%s", explanations[picture->tree.source],
                                            is_part ? " The analysis knows call paths of the whole run alone." : "",
                                            picture->is_cut ? " Deeper calls are not drawn." : "");

    xtf_draw_footer(picture->drawing, y, text);
}

static char *print_title(const XtfCallTree *tree)
{
    if (tree->source == XTF_CALL_TREE_SAMPLED)
        return g_strdup_printf("calls by path, sampled at %" PRIu64 " instant%s of each of %" PRIu64 " location%s",
                               tree->n_instants, tree->n_instants == 1 ? "" : "s", tree->n_locations,
                               tree->n_locations == 1 ? "" : "s");
    return g_strdup(tree->source == XTF_CALL_TREE_STORED ? "calls by path, from the analysis" : "calls by path");
}

static void draw_profile(Picture *picture)
{
    uint64_t whole = xtf_call_node(&picture->tree, 0)->amount;

    picture->scale = whole > 0 ? (double)XTF_PICTURE_PLOT / (double)whole : 0;
    xtf_call_tree_sort(&picture->tree);
    find_depth(picture);
    int bottom = TOP + (int)MAX(picture->deepest, 1) * BOX;
    g_autofree char *title = print_title(&picture->tree);
    const XtfPictureFrame frame = {.content = title,
                                   .file = picture->job->file,
                                   .from = picture->from,
                                   .to = picture->to,
                                   .width = XTF_PICTURE_WIDTH,
                                   .height = bottom + 28,
                                   .description = "How much time each path of calls took."};
    xtf_draw_frame(picture->drawing, &frame, &picture->links);
    xtf_draw(picture->drawing, "<rect class=\"xt-row\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
             XTF_PICTURE_LEFT, TOP, XTF_PICTURE_PLOT, bottom - TOP);
    draw_children(picture, 0, XTF_PICTURE_LEFT);
    draw_footer(picture, bottom + 18);
}

static bool profile_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfTraceContext *context = job->views->context;
    Picture picture = {.job = job, .drawing = drawing};

    xtf_picture_links_init(&picture.links, context, job->selection, job->depth);
    xtf_selection_window(job->selection, &context->scale, &picture.from, &picture.to);
    bool good = xtf_call_tree_measure(&picture.tree, job->views, job->selection, error);
    if (good)
        draw_profile(&picture);
    xtf_call_tree_finish(&picture.tree);
    xtf_picture_links_finish(&picture.links);
    return good;
}

const XtfPicture xtf_picture_profile = {.name = "profile.svg",
                                        .of = "profile",
                                        .has_colours = true,
                                        .size = profile_size,
                                        .draw = profile_draw,
                                        .end = "</svg>\n"};
