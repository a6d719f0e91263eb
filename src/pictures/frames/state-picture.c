#include "src/pictures/frames/state-picture.h"

#include <inttypes.h>

#include "src/pictures/drawing/text-width.h"
#include "src/pictures/frames/state-drawing.h"

enum {
    SIZE_OF_CIRCLES = 96 << 10,
    SIZE_OF_CELLS = 192 << 10,
    LEGEND_Y = 40,
    LIST_PAIRS = 16,
    LIST_LINE = 18,
};

/* ---- Figures. */

static bool is_drawable(const XtfStateDrawing *state, const XtfArrow *arrow)
{
    return arrow->has_to && !arrow->no_from && xtf_state_index(state, arrow->from) < state->n &&
           xtf_state_index(state, arrow->to) < state->n;
}

static int compare_arrows(const void *a, const void *b)
{
    const XtfArrow *x = a, *y = b;

    if (xtf_arrow_weight(x) != xtf_arrow_weight(y))
        return xtf_arrow_weight(x) > xtf_arrow_weight(y) ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static bool find_arrows(XtfStateDrawing *state, GError **error)
{
    const XtfPictureJob *job = state->job;
    guint n = 0;

    if (!(state->arrows = xtf_arrows_find(job->views, job->selection, job->picture->arrows, error)))
        return false;
    for (guint i = 0; i < state->arrows->len; i++) {
        XtfArrow *arrow = &g_array_index(state->arrows, XtfArrow, i);
        if (is_drawable(state, arrow))
            g_array_index(state->arrows, XtfArrow, n++) = *arrow;
    }
    g_array_set_size(state->arrows, n);
    state->n_drawable = n;
    g_array_sort(state->arrows, compare_arrows);
    return true;
}

static bool find_figures(XtfStateDrawing *state, GError **error)
{
    const XtfPictureJob *job = state->job;

    xtf_picture_links_init(&state->links, job->views->context, job->selection, job->depth);
    xtf_selection_window(job->selection, &job->views->context->scale, &state->from, &state->to);
    if (!xtf_states_init(&state->states, job->views, job->selection, error))
        return false;
    state->n = state->states.selected.n_procs;
    state->all = g_new0(XtfProcessState, MAX(state->n, 1));
    for (uint32_t i = 0; i < state->n; i++) {
        if (!xtf_states_of(&state->states, i, &state->all[i], error))
            return false;
    }
    return find_arrows(state, error);
}

static void state_finish(XtfStateDrawing *state)
{
    xtf_picture_links_finish(&state->links);
    xtf_states_finish(&state->states);
    g_clear_pointer(&state->all, g_free);
    g_clear_pointer(&state->arrows, g_array_unref);
}

/* ---- Elements of all forms of the picture. */

/* Colours of tasks by state: tasks that move between processes have the strongest ones. */
static const char *const task_colours[XTF_N_TASK_STATES] = {"#9aa5b1", "#56b4e9", "#d55e00", "#e69f00",
                                                            "#009e73", "#cc79a7", "#4b5563"};

static void draw_styles(XtfDrawing *drawing)
{
    char colour[XTF_COLOUR_TEXT];

    xtf_draw(drawing, "<style>");
    for (unsigned share = 0; share < XTF_N_SHARES; share++) {
        xtf_colour_print(xtf_share_colour(share), colour);
        xtf_draw(drawing, ".xt .xt-s%u{fill:%s}", share, colour);
    }
    for (unsigned i = 0; i < XTF_N_TASK_STATES; i++)
        xtf_draw(drawing, ".xt .xt-t%u{fill:%s}", i, task_colours[i]);
    xtf_draw(drawing, ".xt .xt-l0{fill:#fff}.xt .xt-l1{fill:#d3f0d9}.xt .xt-l2{fill:#faf0b4}.xt .xt-l3{fill:#f7cdc8}"
                      ".xt .xt-process text{fill:#1f2328}.xt .xt-number{paint-order:stroke;stroke:#fff;stroke-width:3;"
                      "stroke-opacity:.8}.xt .xt-arrow{opacity:.6}.xt .xt-arrow:hover{opacity:1}"
                      ".xt .xt-head{fill:#1f2328}.xt .xt-paper{fill:#eef1f4}"
                      "@media(prefers-color-scheme:dark){.xt .xt-head{fill:#e6edf3}}</style>\n");
}

static void draw_legend(XtfStateDrawing *state)
{
    unsigned __int128 sums[XTF_N_SHARES] = {0}, whole = 0;
    char text[64];
    int x = 24;

    for (uint32_t i = 0; i < state->n; i++) {
        for (unsigned share = 0; share < XTF_N_SHARES; share++) {
            sums[share] += state->all[i].times[share];
            whole += state->all[i].times[share];
        }
    }
    for (unsigned share = 0; share < XTF_N_SHARES; share++) {
        double percent = whole ? 100.0 * (double)sums[share] / (double)whole : 0;
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_snprintf(text, sizeof text, "%s %s%%", xtf_share_names[share],
                   g_ascii_formatd(number, sizeof number, "%.1f", percent));
        xtf_draw(
            state->drawing,
            "<rect class=\"xt-s%u\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/><text x=\"%d\" y=\"%d\">%s</text>",
            share, x, LEGEND_Y - 10, x + 18, LEGEND_Y, text);
        x += 18 + (int)xtf_text_pixels(text, 12) + 20;
    }
    for (unsigned i = 0; xtf_states_have_tasks(&state->states) && i < XTF_N_TASK_STATES; i++) {
        xtf_draw(
            state->drawing,
            "<rect class=\"xt-t%u\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/><text x=\"%d\" y=\"%d\">%s</text>", i,
            x, LEGEND_Y - 10, x + 18, LEGEND_Y, xtf_task_names[i]);
        x += 18 + (int)xtf_text_pixels(xtf_task_names[i], 12) + 12;
    }
    xtf_draw(state->drawing, "\n");
}

/* Draws the list of pairs that exchanged most. */
static void draw_list(XtfStateDrawing *state)
{
    guint shown = MIN(state->n_drawable, (guint)LIST_PAIRS);
    int y = XTF_STATE_TOP + 12;

    xtf_draw(state->drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">%s</text>\n", XTF_STATE_SIDE, y,
             shown ? "who sent most to whom" : "nothing between these processes");
    for (guint i = 0; i < shown; i++) {
        const XtfArrow *arrow = &g_array_index(state->arrows, XtfArrow, i);
        y += LIST_LINE;
        xtf_draw(state->drawing, "<text class=\"xt-pair\" x=\"%d\" y=\"%d\">", XTF_STATE_SIDE, y);
        xtf_state_draw_arrow_text(state, arrow);
        xtf_draw(state->drawing, "</text>\n");
    }
    if (shown < state->n_drawable)
        xtf_draw(state->drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">and %u pairs more</text>\n", XTF_STATE_SIDE,
                 y + LIST_LINE, state->n_drawable - shown);
}

/* ---- The picture. */

static const char *choose_footer(const XtfStateDrawing *state)
{
    if (state->n > XTF_STATE_CELLS)
        return "Colour of a process: what it did for most of the window.";
    if (!state->states.has_calls && xtf_states_have_times(&state->states))
        return "Colours: shares of the window. G: mostly in tasks, Y: in MPI and scheduling, R: idle. "
               "Bars: tasks by state.";
    return "Colours: shares of the window. At its end, G: in the program, Y: in a library, R: waiting.";
}

static bool draw_state(XtfStateDrawing *state, GError **error)
{
    g_autofree char *title = g_strdup_printf("state of %" PRIu32 " process%s", state->n, state->n == 1 ? "" : "es");
    const XtfPictureFrame frame = {.content = title,
                                   .file = state->job->file,
                                   .from = state->from,
                                   .to = state->to,
                                   .width = XTF_PICTURE_WIDTH,
                                   .height = XTF_STATE_TOP + XTF_STATE_HEIGHT + 32,
                                   .description = "What each process does, and who sends to whom."};

    xtf_draw_frame(state->drawing, &frame, &state->links);
    draw_styles(state->drawing);
    draw_legend(state);
    draw_list(state);
    if (state->n <= XTF_STATE_CIRCLES)
        xtf_state_draw_ring(state);
    else if (!xtf_state_draw_grid(state, error))
        return false;
    const char *remark = xtf_clock_remark(xtf_clock_check_verdict(state->job->views->clocks));
    g_autofree char *footer = g_strdup_printf("%s%s", remark, choose_footer(state));
    xtf_draw_footer(state->drawing, XTF_STATE_TOP + XTF_STATE_HEIGHT + 20, footer);
    return true;
}

static bool state_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfStateDrawing state = {.job = job, .drawing = drawing};
    bool good = find_figures(&state, error) && draw_state(&state, error);

    state_finish(&state);
    return good;
}

static bool count_processes(XtfViews *views, const XtfSelection *selection, uint32_t *n, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    *n = selected.n_procs;
    return true;
}

static bool state_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    uint32_t n;

    if (!count_processes(views, selection, &n, error))
        return false;
    *size = n <= XTF_STATE_CIRCLES ? SIZE_OF_CIRCLES : SIZE_OF_CELLS;
    return true;
}

const XtfPicture xtf_picture_state = {.name = "state.svg",
                                      .of = "state",
                                      .of_frames = true,
                                      .arrows = 'a',
                                      .size = state_size,
                                      .draw = state_draw,
                                      .end = "</svg>\n"};

/* ---- One letter's arrows. */

#define OF_LETTER(file, letter)                                                                                      \
    {                                                                                                                \
        .name = file, .path = "arrows/" file, .of = "bytes", .or_of = "state", .arrows = letter, .size = state_size, \
        .draw = state_draw, .end = "</svg>\n"                                                                        \
    }

const XtfPicture *xtf_picture_of_arrows(const char *name)
{
    static const XtfPicture pictures[] = {OF_LETTER("a.svg", 'a'), OF_LETTER("d.svg", 'd'), OF_LETTER("m.svg", 'm'),
                                          OF_LETTER("e.svg", 'e'), OF_LETTER("i.svg", 'i'), OF_LETTER("r.svg", 'r'),
                                          OF_LETTER("s.svg", 's')};

    for (unsigned i = 0; i < G_N_ELEMENTS(pictures); i++) {
        if (g_str_equal(pictures[i].name, name))
            return &pictures[i];
    }
    return NULL;
}
