/* Many processes as cells of a grid, or as pixels of an image. Beside them is a matrix of the bytes of all pairs. */
#include <inttypes.h>
#include <math.h>

#include "src/pictures/drawing/picture-image.h"
#include "src/pictures/frames/state-drawing.h"

enum {
    LEFT = 24,
    WIDTH = XTF_STATE_SIDE - 64,
    NUMBERED = 30,    /* least pixels of cells with a number */
    LETTERED = 50,    /* least pixels of cells with a letter */
    CELL_BYTES = 480, /* most bytes of a cell without link and tool tip */
    PIXELS_MAX = 1 << 16,
    MATRIX_TOP = 420,
    MATRIX_SIDE = 340, /* pixels of a side */
    LEVELS = 16,
};

/* Returns the columns of a grid of n cells, so that cells are as large as possible. */
static uint32_t choose_columns(uint32_t n)
{
    uint32_t columns = 1;

    while ((uint64_t)columns * (XTF_STATE_HEIGHT * columns / WIDTH) < n)
        columns++;
    return columns;
}

/* ---- Cells. */

/* Draws a cell. Its link and tool tip are omitted if `later_bytes` of later elements would not fit. */
static void draw_cell(const XtfStateDrawing *state, uint32_t i, uint32_t columns, size_t later_bytes)
{
    const XtfProcessState *process = &state->all[i];
    uint32_t pitch = WIDTH / columns, size = pitch > 6 ? pitch - 2 : pitch;
    uint32_t x = LEFT + i % columns * pitch, y = XTF_STATE_TOP + i / columns * pitch, top = y;
    unsigned __int128 whole = 0, before = 0;
    g_autofree char *link = xtf_state_link(state, process);
    bool has_link = xtf_state_has_room(state, link, later_bytes + CELL_BYTES);

    if (has_link)
        xtf_draw_link(state->drawing, link, "timeline.svg");
    xtf_draw(state->drawing,
             "<g class=\"xt-process\"><rect class=\"xt-row\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", x, y,
             size, size);
    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        whole += process->times[share];
    for (unsigned share = 0; share < XTF_N_SHARES && whole; share++) {
        before += process->times[share];
        uint32_t bottom = y + (uint32_t)(before * size / whole);
        if (bottom > top)
            xtf_draw(state->drawing, "<rect class=\"xt-s%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", share, x,
                     top, size, bottom - top);
        top = bottom;
    }
    if (size >= NUMBERED)
        xtf_draw(
            state->drawing, "<text class=\"xt-number\" x=\"%u\" y=\"%u\" text-anchor=\"middle\">%" PRIu64 " %s</text>",
            x + size / 2, y + size / 2 + 4, process->proc, size >= LETTERED ? xtf_light_letter(process->light) : "");
    if (has_link)
        xtf_state_draw_title(state, process);
    xtf_draw(state->drawing, has_link ? "</g></a>\n" : "</g>\n");
}

static void draw_cells(XtfStateDrawing *state, size_t reserve)
{
    uint32_t columns = choose_columns(state->n);

    for (uint32_t i = 0; i < state->n; i++)
        draw_cell(state, i, columns, (size_t)(state->n - 1 - i) * CELL_BYTES + reserve);
}

/* ---- Images. */

static bool draw_image(const XtfStateDrawing *state, const XtfIndexedImage *image, const char *class, int x, int y,
                       uint32_t scale, GError **error)
{
    return xtf_draw_image(state->drawing, image, error, "class=\"%s\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"",
                          class, x, y, image->width * scale, image->height * scale);
}

/* Returns the share with most time of some processes, as a pixel; 0 for no time. */
static uint8_t pixel_of(const XtfProcessState *processes, uint32_t n)
{
    XtfProcessState sum = {0};
    unsigned most = 0;

    for (uint32_t i = 0; i < n; i++)
        xtf_process_state_add(&sum, &processes[i]);
    for (unsigned share = 1; share < XTF_N_SHARES; share++)
        most = sum.times[share] > sum.times[most] ? share : most;
    return sum.times[most] ? (uint8_t)(most + 1) : 0;
}

/* Draws an image with a pixel for each process, or for a block of neighbours if processes are too many. */
static bool draw_pixels(const XtfStateDrawing *state, GError **error)
{
    uint32_t block = (state->n + PIXELS_MAX - 1) / PIXELS_MAX, n = (state->n + block - 1) / block;
    uint32_t columns = choose_columns(n), rows = (n + columns - 1) / columns;
    g_autofree uint8_t *pixels = g_malloc0((size_t)columns * rows);
    uint32_t colours[XTF_N_SHARES + 1] = {0xffffff};

    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        colours[share + 1] = xtf_share_colour(share);
    for (uint32_t i = 0; i < n; i++)
        pixels[i] = pixel_of(&state->all[(size_t)i * block], MIN(block, state->n - i * block));
    const XtfIndexedImage image = {.width = columns,
                                   .height = rows,
                                   .pixels = pixels,
                                   .colours = colours,
                                   .n_colours = XTF_N_SHARES + 1,
                                   .first_is_clear = true};
    return draw_image(state, &image, "xt-processes", LEFT, XTF_STATE_TOP, MAX(WIDTH / columns, 1), error);
}

/* Draws the bytes of all pairs; rows are senders. If there are more processes than pixels, blocks of neighbours share
 * one. */
static bool draw_matrix(const XtfStateDrawing *state, GError **error)
{
    uint32_t block = (state->n + MATRIX_SIDE - 1) / MATRIX_SIDE, n = (state->n + block - 1) / block;
    g_autofree uint64_t *sums = g_new0(uint64_t, (size_t)n * n);
    g_autofree uint8_t *pixels = g_malloc0((size_t)n * n);
    uint32_t colours[LEVELS + 1] = {0xffffff};
    uint64_t most = 0;

    for (guint i = 0; i < state->n_drawable; i++) {
        const XtfArrow *arrow = &g_array_index(state->arrows, XtfArrow, i);
        size_t cell =
            (size_t)(xtf_state_index(state, arrow->from) / block) * n + xtf_state_index(state, arrow->to) / block;
        sums[cell] += xtf_arrow_weight(arrow) + 1;
        most = MAX(most, sums[cell]);
    }
    for (size_t i = 0; i < (size_t)n * n; i++)
        pixels[i] = sums[i] ? (uint8_t)(1 + lround(log((double)sums[i]) / log((double)most + 1) * (LEVELS - 1))) : 0;
    for (unsigned i = 0; i < LEVELS; i++)
        colours[i + 1] = xtf_ramp_colour((double)i / (LEVELS - 1));
    const XtfIndexedImage image = {
        .width = n, .height = n, .pixels = pixels, .colours = colours, .n_colours = LEVELS + 1, .first_is_clear = true};
    uint32_t scale = MAX(MATRIX_SIDE / n, 1);
    xtf_draw(state->drawing,
             "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">%s by sender (rows) and receiver</text>"
             "<rect class=\"xt-paper\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"/>\n",
             XTF_STATE_SIDE, MATRIX_TOP - 8, g_array_index(state->arrows, XtfArrow, 0).is_tasks ? "tasks" : "bytes",
             XTF_STATE_SIDE, MATRIX_TOP, n * scale, n * scale);
    return draw_image(state, &image, "xt-matrix", XTF_STATE_SIDE, MATRIX_TOP, scale, error);
}

bool xtf_state_draw_grid(XtfStateDrawing *state, GError **error)
{
    if (state->n_drawable && !draw_matrix(state, error))
        return false;
    if (state->n > XTF_STATE_CELLS)
        return draw_pixels(state, error);
    draw_cells(state, 16 << 10);
    return true;
}
