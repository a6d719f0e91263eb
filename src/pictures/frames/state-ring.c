/* The processes as circles on an ellipse, with arrows between them. */
#include <inttypes.h>
#include <math.h>

#include "libxtf/vocabulary.h"
#include "src/pictures/frames/state-drawing.h"

enum {
    CENTRE_X = 560,
    CENTRE_Y = XTF_STATE_TOP + XTF_STATE_HEIGHT / 2,
    RADIUS_X = 470,
    RADIUS_Y = 290,
    CIRCLE = 44, /* radius of a process's circle, in pixels */
    INNER = 28,  /* radius of the disc inside the ring of shares, in pixels */
    ARROWS_MAX = 40,
    HEAD = 9,            /* length of an arrow's head, in pixels */
    CIRCLE_BYTES = 1800, /* most bytes of a circle without link and tool tip */
    ARROW_BYTES = 360,   /* most bytes of an arrow without link and tool tip */
    BAR_WIDTH = 42,      /* pixels of the bar of tasks */
    BAR_HEIGHT = 6,
};

typedef struct {
    double x, y;
} Point;

/* Returns the centre of a process. The first is at the top, others follow clockwise. A single process is in the middle.
 */
static Point circle_centre(const XtfStateDrawing *state, uint32_t i)
{
    double angle = 2 * M_PI * i / state->n;

    if (state->n == 1)
        return (Point){CENTRE_X, CENTRE_Y};
    return (Point){CENTRE_X + RADIUS_X * sin(angle), CENTRE_Y - RADIUS_Y * cos(angle)};
}

static Point point_around(Point centre, double radius, double turn)
{
    return (Point){centre.x + radius * sin(2 * M_PI * turn), centre.y - radius * cos(2 * M_PI * turn)};
}

/* Draws a part of a ring, in turns from the top, clockwise. Draws a whole ring as two halves, since an arc that ends at
 * its begin is invisible. */
static void draw_arc(XtfDrawing *drawing, Point centre, unsigned share, double from, double to)
{
    if (to - from > 0.999) {
        draw_arc(drawing, centre, share, from, from + 0.5);
        from += 0.5;
    }
    int large = to - from > 0.5;
    Point a = point_around(centre, CIRCLE, from), b = point_around(centre, CIRCLE, to),
          c = point_around(centre, INNER, to), d = point_around(centre, INNER, from);
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

/* Draws tasks by state, as a stacked bar. */
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
    bool has_link = xtf_state_has_room(state, link, (size_t)(state->n - i) * CIRCLE_BYTES);
    const XtfProcessState *process = &state->all[i];
    Point centre = circle_centre(state, i);
    int x = (int)lround(centre.x), y = (int)lround(centre.y);

    centre = (Point){x, y};
    if (has_link)
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
    if (has_link)
        xtf_state_draw_title(state, process);
    xtf_draw(state->drawing, has_link ? "</g></a>\n" : "</g>\n");
}

/* ---- Arrows. */

/* Returns the link to an arrow's records: receives if the picture shows receives, else sends; or moves of tasks. The
 * caller frees it. */
static char *arrow_link(const XtfStateDrawing *state, const XtfArrow *arrow)
{
    bool is_of_receives = state->job->picture->arrows == 'r';
    char proc[24], peer[24];

    g_snprintf(proc, sizeof proc, "%" PRIu64, is_of_receives ? arrow->to : arrow->from);
    g_snprintf(peer, sizeof peer, "%" PRIu64, is_of_receives ? arrow->from : arrow->to);
    const XtfPictureTarget messages = {
        .proc = proc, .peer = peer, .type = is_of_receives ? XTF_RECORD_RECVS : XTF_RECORD_SENDS};
    /* The process that exported or imported a task has the record. */
    const XtfPictureTarget tasks = {.proc = g_str_equal(arrow->kind, "imported") ? peer : proc, .type = "task_moves"};
    return xtf_picture_link(&state->links, state->from, state->to, arrow->is_tasks ? &tasks : &messages);
}

/* Returns the control point of an arrow that bends to the right, so that both directions are visible. */
static Point bend_arrow(Point a, Point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    return (Point){(a.x + b.x) / 2 - dy * 0.18, (a.y + b.y) / 2 + dx * 0.18};
}

/* Returns the point at a distance from `a` towards `b`. */
static Point point_towards(Point a, Point b, double distance)
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

/* Draws the loop of messages from a process to itself, outside of the ring. */
static void draw_loop(XtfDrawing *drawing, Point at, unsigned width)
{
    Point centre = {CENTRE_X, CENTRE_Y};
    Point out = point_towards(at, centre, -(CIRCLE + 10.0));
    xtf_draw(drawing, "<circle class=\"xt-m\" stroke-width=\"%u\" cx=\"%d\" cy=\"%d\" r=\"12\"/>", width,
             (int)lround(out.x), (int)lround(out.y));
}

/* Draws an arrow. Its link and tool tip are omitted if `later_bytes` of later elements would not fit. */
static void draw_arrow(const XtfStateDrawing *state, const XtfArrow *arrow, uint64_t most, size_t later_bytes)
{
    uint32_t from = xtf_state_index(state, arrow->from), to = xtf_state_index(state, arrow->to);
    Point a = circle_centre(state, from), b = circle_centre(state, to), middle = bend_arrow(a, b);
    unsigned width = 1 + (unsigned)(most ? 7.0 * (double)xtf_arrow_weight(arrow) / (double)most : 0);
    Point begin = point_towards(a, middle, CIRCLE + 2), tip = point_towards(b, middle, CIRCLE + 2),
          base = point_towards(b, middle, CIRCLE + 2 + HEAD + width);
    g_autofree char *link = arrow_link(state, arrow);
    bool has_link = xtf_state_has_room(state, link, later_bytes + ARROW_BYTES);

    if (has_link)
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
    if (has_link) {
        xtf_draw(state->drawing, "<title>");
        xtf_state_draw_arrow_text(state, arrow);
        xtf_draw(state->drawing, "</title>");
    }
    xtf_draw(state->drawing, has_link ? "</g></a>\n" : "</g>\n");
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
