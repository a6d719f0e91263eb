/* The processes as circles on an ellipse, and arrows between them. */
#include <inttypes.h>
#include <math.h>

#include "libxtf/vocabulary.h"
#include "src/pictures/frames/state-drawing.h"

enum {
    CENTRE_X = 560,
    CENTRE_Y = XTF_STATE_TOP + XTF_STATE_HEIGHT / 2,
    RADIUS_X = 470,
    RADIUS_Y = 290,
    CIRCLE = 44, /* radius of a process */
    INNER = 28,  /* of what is inside of its shares */
    ARROWS_MAX = 40,
    HEAD = 9,            /* length of an arrow's head */
    CIRCLE_BYTES = 1800, /* of a circle without link and tool tip, at most... */
    ARROW_BYTES = 360,   /* ...and of an arrow */
    BAR_WIDTH = 42,      /* of tasks */
    BAR_HEIGHT = 6,
};

typedef struct {
    double x, y;
} Point;

/* The first at the top, clockwise. One process stands in the middle. */
static Point place_of(const XtfStateDrawing *state, uint32_t i)
{
    double angle = 2 * M_PI * i / state->n;

    if (state->n == 1)
        return (Point){CENTRE_X, CENTRE_Y};
    return (Point){CENTRE_X + RADIUS_X * sin(angle), CENTRE_Y - RADIUS_Y * cos(angle)};
}

static Point around(Point centre, double radius, double turn)
{
    return (Point){centre.x + radius * sin(2 * M_PI * turn), centre.y - radius * cos(2 * M_PI * turn)};
}

/* A part of a ring, in turns from the top, clockwise. A whole one is two halves: an arc that ends where it begins is
 * none. */
static void draw_arc(XtfDrawing *drawing, Point centre, unsigned share, double from, double to)
{
    if (to - from > 0.999) {
        draw_arc(drawing, centre, share, from, from + 0.5);
        from += 0.5;
    }
    int large = to - from > 0.5;
    Point a = around(centre, CIRCLE, from), b = around(centre, CIRCLE, to), c = around(centre, INNER, to),
          d = around(centre, INNER, from);
    char numbers[8][G_ASCII_DTOSTR_BUF_SIZE];
    const double values[8] = {a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y};
    for (unsigned i = 0; i < 8; i++)
        g_ascii_formatd(numbers[i], sizeof numbers[i], "%.1f", values[i]);
    xtf_draw(drawing, "<path class=\"xt-s%u\" d=\"M%s %sA%d %d 0 %d 1 %s %sL%s %sA%d %d 0 %d 0 %s %sz\"/>", share,
             numbers[0], numbers[1], CIRCLE, CIRCLE, large, numbers[2], numbers[3], numbers[4], numbers[5], INNER,
             INNER, large, numbers[6], numbers[7]);
}

static void draw_shares(const XtfStateDrawing *state, const XtfProcessState *process, Point centre)
{
    double whole = 0, before = 0;

    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        whole += (double)process->times[share];
    for (unsigned share = 0; share < XTF_N_SHARES && whole > 0; share++) {
        double part = (double)process->times[share] / whole;
        if (part > 0)
            draw_arc(state->drawing, centre, share, before, before + part);
        before += part;
    }
}

/* Tasks by state, a stacked bar. */
static void draw_tasks(const XtfStateDrawing *state, const XtfProcessState *process, int x, int y)
{
    uint64_t whole = 0;
    unsigned __int128 before = 0;

    for (unsigned i = 0; i < XTF_N_TASK_STATES; i++)
        whole += MIN(process->tasks[i], UINT64_MAX - whole);
    for (unsigned i = 0; i < XTF_N_TASK_STATES && whole; i++) {
        int from = (int)(before * BAR_WIDTH / whole), to;
        before += process->tasks[i];
        to = (int)(MIN(before, (unsigned __int128)whole) * BAR_WIDTH / whole);
        if (to > from)
            xtf_draw(state->drawing, "<rect class=\"xt-t%u\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", i,
                     x - BAR_WIDTH / 2 + from, y, to - from, BAR_HEIGHT);
    }
}

static void draw_circle(const XtfStateDrawing *state, uint32_t i)
{
    g_autofree char *link = xtf_state_link(state, &state->all[i]);
    bool rich = xtf_state_has_room(state, link, (size_t)(state->n - i) * CIRCLE_BYTES);
    const XtfProcessState *process = &state->all[i];
    Point centre = place_of(state, i);
    int x = (int)lround(centre.x), y = (int)lround(centre.y);

    centre = (Point){x, y};
    if (rich)
        xtf_draw_link(state->drawing, link, "timeline.svg");
    xtf_draw(state->drawing, "<g class=\"xt-process\"><circle class=\"xt-row\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>", x, y,
             CIRCLE);
    draw_shares(state, process, centre);
    bool has_tasks = xtf_states_have_tasks(&state->states);
    xtf_draw(state->drawing,
             "<circle class=\"xt-l%u\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>"
             "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%" PRIu64 "</text>"
             "<text class=\"xt-dim\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>",
             process->light, x, y, INNER - 2, x, has_tasks ? y - 5 : y + 2, process->proc, x,
             has_tasks ? y + 19 : y + 16, xtf_light_letter(process->light));
    if (has_tasks)
        draw_tasks(state, process, x, y);
    if (rich)
        xtf_state_draw_title(state, process);
    xtf_draw(state->drawing, rich ? "</g></a>\n" : "</g>\n");
}

/* ---- Arrows. */

/* Where the records are: the sender's, or those of who received. */
static char *link_of(const XtfStateDrawing *state, const XtfArrow *arrow)
{
    bool received = state->job->picture->arrows == 'r';
    char proc[24], peer[24];

    g_snprintf(proc, sizeof proc, "%" PRIu64, received ? arrow->to : arrow->from);
    g_snprintf(peer, sizeof peer, "%" PRIu64, received ? arrow->from : arrow->to);
    const XtfPictureTarget messages = {
        .proc = proc, .peer = peer, .type = received ? XTF_RECORD_RECVS : XTF_RECORD_SENDS};
    /* Who has the record: the process that exported, or the one that imported. */
    const XtfPictureTarget tasks = {.proc = g_str_equal(arrow->kind, "imported") ? peer : proc, .type = "task_moves"};
    return xtf_picture_link(&state->links, state->from, state->to, arrow->is_tasks ? &tasks : &messages);
}

/* Bends to the right, so that both directions are seen. */
static Point bend(Point a, Point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    return (Point){(a.x + b.x) / 2 - dy * 0.18, (a.y + b.y) / 2 + dx * 0.18};
}

/* The point at a distance from `a` on the way to `b`. */
static Point towards(Point a, Point b, double distance)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    return length > 0 ? (Point){a.x + (b.x - a.x) / length * distance, a.y + (b.y - a.y) / length * distance} : a;
}

static void draw_head(XtfDrawing *drawing, Point base, Point tip, double width)
{
    double length = hypot(tip.x - base.x, tip.y - base.y);
    double nx = -(tip.y - base.y) / length * width, ny = (tip.x - base.x) / length * width;

    xtf_draw(drawing, "<path class=\"xt-head\" d=\"M%d %dL%d %dL%d %dz\"/>", (int)lround(base.x + nx),
             (int)lround(base.y + ny), (int)lround(tip.x), (int)lround(tip.y), (int)lround(base.x - nx),
             (int)lround(base.y - ny));
}

/* To oneself: a loop outside of the ring. */
static void draw_loop(XtfDrawing *drawing, Point at, unsigned width)
{
    Point centre = {CENTRE_X, CENTRE_Y};
    Point out = towards(at, centre, -(CIRCLE + 10.0));
    xtf_draw(drawing, "<circle class=\"xt-m\" stroke-width=\"%u\" cx=\"%d\" cy=\"%d\" r=\"12\"/>", width,
             (int)lround(out.x), (int)lround(out.y));
}

/* `rest`: bytes of what comes after it. */
static void draw_arrow(const XtfStateDrawing *state, const XtfArrow *arrow, uint64_t most, size_t rest)
{
    uint32_t from = xtf_state_index(state, arrow->from), to = xtf_state_index(state, arrow->to);
    Point a = place_of(state, from), b = place_of(state, to), middle = bend(a, b);
    unsigned width = 1 + (unsigned)(most ? 7.0 * (double)xtf_arrow_weight(arrow) / (double)most : 0);
    Point begin = towards(a, middle, CIRCLE + 2), tip = towards(b, middle, CIRCLE + 2),
          base = towards(b, middle, CIRCLE + 2 + HEAD + width);
    g_autofree char *link = link_of(state, arrow);
    bool rich = xtf_state_has_room(state, link, rest + ARROW_BYTES);

    if (rich)
        xtf_draw_link(state->drawing, link, "");
    xtf_draw(state->drawing, "<g class=\"xt-arrow\">");
    if (from == to) {
        draw_loop(state->drawing, a, width);
    } else {
        xtf_draw(state->drawing, "<path class=\"xt-m\" stroke-width=\"%u\" d=\"M%d %dQ%d %d %d %d\"/>", width,
                 (int)lround(begin.x), (int)lround(begin.y), (int)lround(middle.x), (int)lround(middle.y),
                 (int)lround(base.x), (int)lround(base.y));
        draw_head(state->drawing, base, tip, 3 + width);
    }
    if (rich) {
        xtf_draw(state->drawing, "<title>");
        xtf_state_draw_arrow_text(state, arrow);
        xtf_draw(state->drawing, "</title>");
    }
    xtf_draw(state->drawing, rich ? "</g></a>\n" : "</g>\n");
}

void xtf_state_draw_ring(XtfStateDrawing *state)
{
    guint n = MIN(state->n_drawable, (guint)ARROWS_MAX);
    uint64_t most = n ? xtf_arrow_weight(&g_array_index(state->arrows, XtfArrow, 0)) : 0;

    for (guint i = n; i-- > 0;) /* the widest last, on top */
        draw_arrow(state, &g_array_index(state->arrows, XtfArrow, i), most,
                   (size_t)i * ARROW_BYTES + (size_t)state->n * CIRCLE_BYTES);
    for (uint32_t i = 0; i < state->n; i++)
        draw_circle(state, i);
    if (n < state->n_drawable)
        xtf_draw(state->drawing,
                 "<text class=\"xt-dim\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">and %u arrows more</text>\n",
                 CENTRE_X, XTF_STATE_TOP + XTF_STATE_HEIGHT - 4, state->n_drawable - n);
}
