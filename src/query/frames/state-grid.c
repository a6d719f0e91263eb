/* Many processes: cells of a grid, or pixels of an image; beside them the bytes of all pairs. */
#include <inttypes.h>
#include <math.h>

#include "src/query/frames/state-drawing.h"
#include "src/query/images/indexed-png.h"

enum {
    LEFT = 24,
    WIDTH = XTF_STATE_SIDE - 64,
    NUMBERED = 30,    /* pixels: smaller cells have no number */
    LETTERED = 50,    /* smaller ones have no letter */
    CELL_BYTES = 860, /* of a cell, at most... */
    BARE_BYTES = 380, /* ...without its link and its tool tip */
    MATRIX_TOP = 420,
    MATRIX_SIDE = 340, /* pixels */
    LEVELS = 16,
};

/* Columns of a grid of n cells whose sides are as long as they can be. */
static uint32_t columns_for(uint32_t n)
{
    uint32_t columns = 1;

    while ((uint64_t)columns * (XTF_STATE_HEIGHT * columns / WIDTH) < n)
        columns++;
    return columns;
}

/* ---- Cells. */

static void draw_cell(const XtfStateDrawing *state, uint32_t i, uint32_t columns, bool bare)
{
    const XtfProcessState *process = &state->all[i];
    uint32_t pitch = WIDTH / columns, size = pitch > 6 ? pitch - 2 : pitch;
    uint32_t x = LEFT + i % columns * pitch, y = XTF_STATE_TOP + i / columns * pitch, top = y;
    unsigned __int128 whole = 0, before = 0;

    if (!bare)
        xtf_state_begin_link(state, process);
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
    if (!bare)
        xtf_state_draw_title(state, process);
    xtf_draw(state->drawing, bare ? "</g>\n" : "</g></a>\n");
}

static void draw_cells(XtfStateDrawing *state, size_t reserve)
{
    uint32_t columns = columns_for(state->n);

    for (uint32_t i = 0; i < state->n; i++) {
        size_t needed = CELL_BYTES + (size_t)(state->n - 1 - i) * BARE_BYTES + reserve;
        draw_cell(state, i, columns, xtf_drawing_left(state->drawing) < needed);
    }
}

/* ---- Images. */

static bool draw_image(const XtfStateDrawing *state, const XtfIndexedImage *image, const char *class, int x, int y,
                       uint32_t scale, GError **error)
{
    g_autoptr(GByteArray) bytes = xtf_png_encode(image, error);

    if (!bytes)
        return false;
    g_autofree char *text = g_base64_encode(bytes->data, bytes->len);
    xtf_draw(state->drawing,
             "<image class=\"%s\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\" style=\"image-rendering:pixelated\" "
             "href=\"data:image/png;base64,%s\"/>\n",
             class, x, y, image->width * scale, image->height * scale, text);
    return true;
}

static unsigned greatest_share(const XtfProcessState *process)
{
    unsigned greatest = 0;

    for (unsigned share = 1; share < XTF_N_SHARES; share++)
        greatest = process->times[share] > process->times[greatest] ? share : greatest;
    return greatest;
}

/* A pixel a process, of the colour of what it did most. */
static bool draw_pixels(const XtfStateDrawing *state, GError **error)
{
    uint32_t columns = columns_for(state->n), rows = (state->n + columns - 1) / columns;
    g_autofree uint8_t *pixels = g_malloc0((size_t)columns * rows);
    uint32_t colours[XTF_N_SHARES + 1] = {0xffffff};

    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        colours[share + 1] = xtf_share_colour(share);
    for (uint32_t i = 0; i < state->n; i++) {
        unsigned share = greatest_share(&state->all[i]);
        pixels[i] = state->all[i].times[share] ? (uint8_t)(share + 1) : 0;
    }
    const XtfIndexedImage image = {.width = columns,
                                   .height = rows,
                                   .pixels = pixels,
                                   .colours = colours,
                                   .n_colours = XTF_N_SHARES + 1,
                                   .first_is_clear = true};
    return draw_image(state, &image, "xt-processes", LEFT, XTF_STATE_TOP, MAX(WIDTH / columns, 1), error);
}

/* The bytes of all pairs, rows the senders; of more processes than pixels, those of neighbours together. */
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
        sums[cell] += arrow->bytes + 1;
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
             "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">bytes by sender (rows) and receiver</text>"
             "<rect class=\"xt-paper\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"/>\n",
             XTF_STATE_SIDE, MATRIX_TOP - 8, XTF_STATE_SIDE, MATRIX_TOP, n * scale, n * scale);
    return draw_image(state, &image, "xt-matrix", XTF_STATE_SIDE, MATRIX_TOP, scale, error);
}

bool xtf_state_draw_grid(XtfStateDrawing *state, GError **error)
{
    if (state->n_drawable && xtf_png_is_built() && !draw_matrix(state, error))
        return false;
    if (state->n > XTF_STATE_CELLS)
        return draw_pixels(state, error);
    draw_cells(state, 16 << 10);
    return true;
}
