#include "src/pictures/charts/matrix-picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/picture-image.h"
#include "src/pictures/drawing/text-width.h"
#include "src/pictures/drawing/time-axis.h"

enum {
    CELLS_MAX = 64,   /* most processes with a cell each; more become an image */
    SIDE = 720,       /* pixels of all cells */
    PAGE_SIDE = 480,  /* pixels of all cells in a page */
    PAGE_WIDTH = 760, /* pixels of the picture in a page */
    CELL_MAX = 40,    /* pixels */
    LEFT = 104,
    TOP = 92,
    SIZE_BASE = 64 << 10,
    SIZE_OF_CELL = 256, /* usual bytes of a cell */
    CELL_BYTES = 480,   /* most bytes of a cell */
    BARE_BYTES = 80,    /* bytes of a cell without its link and its tool tip */
    SIZE_OF_IMAGE = 1152 << 10,
    LEVELS = 16,
    SWATCH = 16,      /* pixels */
    FEW_AMOUNTS = 6,  /* most different amounts that get a swatch each, with the number of their cells */
    SUM_GAP = 12,     /* pixels between cells and bars of sums */
    SUM_LENGTH = 96,  /* pixels of the longest bar */
    PAPER = 0xeef1f4, /* ground of an image, whose colours do not change in dark mode */
};

/* Returns the colour of a level, from pale to dark. The palest one differs from the ground. */
static XtfColour level_colour(unsigned level)
{
    return xtf_ramp_colour((double)level / (LEVELS - 1));
}

typedef struct {
    uint64_t messages, bytes;
} Cell;

typedef struct {
    const XtfLocations *locations;
    uint32_t n, block; /* number of rows and of columns; processes in each */
    Cell *cells;       /* row by row; a row is a sender */
    uint64_t least, most;
} Matrix;

/* ---- From the table. */

/* Returns the row of a process; n if the trace has no such process. */
static uint32_t row_of(const Matrix *matrix, const XtfRowCell *cell)
{
    uint64_t proc = xtf_row_number(cell);
    const uint64_t *found =
        bsearch(&proc, matrix->locations->procs, matrix->locations->n_procs, sizeof proc, xtf_compare_numbers);
    return found ? (uint32_t)(found - matrix->locations->procs) / matrix->block : matrix->n;
}

enum { SENDER, RECEIVER, MESSAGES, BYTES };
static const char *const columns[] = {"sender", "receiver", "messages", "bytes"};

static bool add_pair(const XtfRowCell *cells, void *data, GError **error)
{
    Matrix *matrix = data;
    uint32_t sender = row_of(matrix, &cells[SENDER]), receiver = row_of(matrix, &cells[RECEIVER]);

    if (sender < matrix->n && receiver < matrix->n) {
        Cell *cell = &matrix->cells[(size_t)sender * matrix->n + receiver];
        cell->messages += xtf_row_number(&cells[MESSAGES]);
        cell->bytes += xtf_row_number(&cells[BYTES]);
    }
    return true;
}

static void find_limits(Matrix *matrix)
{
    matrix->least = UINT64_MAX;
    for (size_t i = 0; i < (size_t)matrix->n * matrix->n; i++) {
        if (matrix->cells[i].messages > 0) {
            matrix->least = MIN(matrix->least, matrix->cells[i].bytes);
            matrix->most = MAX(matrix->most, matrix->cells[i].bytes);
        }
    }
}

/* Returns the level of an amount. If all amounts are equal, they get the darkest level. */
static unsigned level_of(const Matrix *matrix, uint64_t bytes)
{
    double least = log((double)matrix->least + 1), most = log((double)matrix->most + 1);

    if (most <= least)
        return LEVELS - 1;
    return (unsigned)lround((log((double)bytes + 1) - least) / (most - least) * (LEVELS - 1));
}

/* ---- Sizes. */

static bool matrix_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);

    if (!locations)
        return false;
    uint64_t n = locations->n_procs;
    *size = n <= CELLS_MAX ? (SIZE_BASE + n * n * SIZE_OF_CELL + 4095) / 4096 * 4096 : SIZE_BASE + SIZE_OF_IMAGE;
    return true;
}

/* ---- Drawing. */

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    XtfPictureLinks links;
    Matrix matrix;
    uint64_t from, to;
    uint32_t side;  /* most pixels of all cells */
    uint32_t pitch; /* pixels of a cell with its gap */
} Picture;

/* Draws the styles. Dark mode reverses the levels, but not in an image, whose pixels cannot change. */
static void draw_styles(XtfDrawing *drawing, bool is_image)
{
    char light[XTF_COLOUR_TEXT], dark[XTF_COLOUR_TEXT];

    xtf_draw(drawing, "<style>");
    for (unsigned i = 0; i < LEVELS; i++) {
        xtf_colour_print(level_colour(i), light);
        xtf_colour_print(level_colour(LEVELS - 1 - i), dark);
        xtf_draw(drawing, ".xt .xt-q%u{fill:%s}", i, light);
        if (!is_image)
            xtf_draw(drawing, "@media(prefers-color-scheme:dark){.xt .xt-q%u{fill:%s}}", i, dark);
    }
    xtf_draw(drawing, "</style>\n");
}

/* Returns the directory of a cell's messages. The caller frees it. Below recvs/, they are the receiver's records. */
static char *cell_link(const Picture *picture, uint64_t sender, uint64_t receiver)
{
    const XtfSelection *selection = picture->job->selection;
    const XtfSchema *recvs = xtf_trace_find_schema(picture->links.context->trace, XTF_RECORD_RECVS);
    bool at_receiver = recvs && selection->type == recvs->id;
    char own_proc[24], peer_proc[24];

    g_snprintf(own_proc, sizeof own_proc, "%" PRIu64, at_receiver ? receiver : sender);
    g_snprintf(peer_proc, sizeof peer_proc, "%" PRIu64, at_receiver ? sender : receiver);
    const XtfPictureTarget target = {.proc = own_proc, .peer = peer_proc, .type = XTF_RECORD_SENDS};
    return xtf_picture_link(&picture->links, picture->from, picture->to, &target);
}

static void draw_cell(Picture *picture, uint32_t i, bool bare)
{
    const Matrix *matrix = &picture->matrix;
    const Cell *cell = &matrix->cells[i];
    uint32_t size = picture->pitch > 6 ? picture->pitch - 1 : picture->pitch;
    uint64_t sender = matrix->locations->procs[i / matrix->n], receiver = matrix->locations->procs[i % matrix->n];
    g_autofree char *link = bare ? NULL : cell_link(picture, sender, receiver);

    if (!bare)
        xtf_draw_link(picture->drawing, link, "");
    xtf_draw(picture->drawing, "<rect class=\"xt-q%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"",
             level_of(matrix, cell->bytes), LEFT + i % matrix->n * picture->pitch, TOP + i / matrix->n * picture->pitch,
             size, size);
    if (bare)
        xtf_draw(picture->drawing, "/>\n");
    else
        xtf_draw(picture->drawing,
                 "><title>%" PRIu64 " to %" PRIu64 ": %" PRIu64 " message%s, %" PRIu64 " B</title></rect></a>\n",
                 sender, receiver, cell->messages, cell->messages == 1 ? "" : "s", cell->bytes);
}

/* Draws the cells. Omits links and tool tips if only bare cells would still fit. */
static void draw_cells(Picture *picture)
{
    const Matrix *matrix = &picture->matrix;
    size_t n = 0;

    for (uint32_t i = 0; i < matrix->n * matrix->n; i++)
        n += matrix->cells[i].messages > 0;
    for (uint32_t i = 0; i < matrix->n * matrix->n; i++) {
        if (matrix->cells[i].messages > 0)
            draw_cell(picture, i, xtf_drawing_left(picture->drawing) < CELL_BYTES + --n * BARE_BYTES);
    }
}

static bool draw_image(Picture *picture, GError **error)
{
    const Matrix *matrix = &picture->matrix;
    size_t n = (size_t)matrix->n * matrix->n;
    g_autofree uint8_t *pixels = g_malloc0(n);
    uint32_t colours[LEVELS + 1] = {0xffffff};

    for (unsigned i = 0; i < LEVELS; i++)
        colours[i + 1] = level_colour(i);
    for (size_t i = 0; i < n; i++)
        pixels[i] = (uint8_t)(matrix->cells[i].messages ? level_of(matrix, matrix->cells[i].bytes) + 1 : 0);
    const XtfIndexedImage image = {.width = matrix->n,
                                   .height = matrix->n,
                                   .pixels = pixels,
                                   .colours = colours,
                                   .n_colours = LEVELS + 1,
                                   .first_is_clear = true};

    return xtf_draw_image(picture->drawing, &image, error, "x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"", LEFT, TOP,
                          matrix->n * picture->pitch, matrix->n * picture->pitch);
}

/* Draws numbers of processes at both sides, at multiples of 1, 2 or 5 times a power of ten. */
static void draw_numbers(Picture *picture)
{
    const Matrix *matrix = &picture->matrix;
    uint32_t step = (uint32_t)xtf_round_up(fmax(28.0 / picture->pitch, 1));

    xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">receiver</text>", LEFT, TOP - 22);
    xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%d\" text-anchor=\"end\">sender</text>\n", TOP - 8);
    for (uint32_t i = 0; i < matrix->n; i += step) {
        uint64_t proc = matrix->locations->procs[(size_t)i * matrix->block];
        uint32_t middle = i * picture->pitch + picture->pitch / 2;
        xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%u\" text-anchor=\"end\">%" PRIu64 "</text>",
                 TOP + middle + 4, proc);
        xtf_draw(picture->drawing,
                 "<text class=\"xt-dim\" x=\"%u\" y=\"%d\" text-anchor=\"middle\">%" PRIu64 "</text>\n", LEFT + middle,
                 TOP - 8, proc);
    }
}

/* ---- The scale of colours. */

typedef struct {
    uint64_t bytes;
    uint32_t cells;
} Amount;

/* Finds the amounts of all cells, ascending, and the number of cells of each. Returns the number of amounts, or 0 if
 * there are more than FEW_AMOUNTS. */
static unsigned find_amounts(const Matrix *matrix, Amount amounts[static FEW_AMOUNTS])
{
    unsigned n = 0;

    for (size_t i = 0; i < (size_t)matrix->n * matrix->n; i++) {
        unsigned at = 0;
        if (matrix->cells[i].messages == 0)
            continue;
        while (at < n && amounts[at].bytes < matrix->cells[i].bytes)
            at++;
        if (at == n || amounts[at].bytes != matrix->cells[i].bytes) {
            if (n == FEW_AMOUNTS)
                return 0;
            memmove(&amounts[at + 1], &amounts[at], (n - at) * sizeof *amounts);
            amounts[at] = (Amount){.bytes = matrix->cells[i].bytes};
            n++;
        }
        amounts[at].cells++;
    }
    return n;
}

/* Draws a swatch for each amount. Draws nothing and returns false if they need more than `width` pixels. */
static bool draw_amounts(Picture *picture, const Amount *amounts, unsigned n, int y, double width)
{
    char texts[FEW_AMOUNTS][64];
    double x = LEFT, needed = 0;

    for (unsigned i = 0; i < n; i++) {
        g_snprintf(texts[i], sizeof texts[i], "%" PRIu64 " B: %" PRIu32 " %s%s", amounts[i].bytes, amounts[i].cells,
                   picture->matrix.block == 1 ? "pair" : "cell", amounts[i].cells == 1 ? "" : "s");
        needed += SWATCH + 8 + xtf_text_pixels(texts[i], 12) + 20;
    }
    if (n == 0 || needed > width)
        return false;
    for (unsigned i = 0; i < n; i++) {
        xtf_draw(picture->drawing,
                 "<rect class=\"xt-q%u\" x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"12\"/>"
                 "<text x=\"%.0f\" y=\"%d\">%s</text>\n",
                 level_of(&picture->matrix, amounts[i].bytes), x, y, SWATCH, x + SWATCH + 8, y + 11, texts[i]);
        x += SWATCH + 8 + xtf_text_pixels(texts[i], 12) + 20;
    }
    return true;
}

/* Draws the scale: few amounts one by one, or else the least and the greatest with the levels between. */
static void draw_scale(Picture *picture, int y, int width)
{
    const Matrix *matrix = &picture->matrix;
    Amount amounts[FEW_AMOUNTS];

    if (matrix->most == 0 && matrix->least == UINT64_MAX) {
        xtf_draw(picture->drawing, "<text x=\"%d\" y=\"%d\">no messages</text>\n", LEFT, y + 11);
        return;
    }
    if (draw_amounts(picture, amounts, find_amounts(matrix, amounts), y, width - LEFT))
        return;
    char least[32];
    g_snprintf(least, sizeof least, "%" PRIu64 " B", matrix->least);
    int x = LEFT;
    xtf_draw(picture->drawing, "<text x=\"%d\" y=\"%d\">%s</text>", x, y + 11, least);
    x += (int)xtf_text_pixels(least, 12) + 8;
    for (unsigned i = level_of(matrix, matrix->least); i < LEVELS; i++, x += SWATCH)
        xtf_draw(picture->drawing, "<rect class=\"xt-q%u\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\"/>", i, x, y,
                 SWATCH);
    xtf_draw(picture->drawing, "<text x=\"%d\" y=\"%d\">%" PRIu64 " B</text>\n", x + 8, y + 11, matrix->most);
}

/* ---- Sums. */

/* Draws bars of the bytes that each process sends, right of its row, or receives, below its column. Both have one
 * scale. */
static void draw_sums(Picture *picture, bool received, const uint64_t *sums, uint64_t most)
{
    const Matrix *matrix = &picture->matrix;
    uint32_t size = picture->pitch > 6 ? picture->pitch - 1 : picture->pitch;
    uint32_t beside = matrix->n * picture->pitch + SUM_GAP;

    xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"%u\" y=\"%u\"%s>%s</text>\n",
             received ? (uint32_t)LEFT - 8 : LEFT + beside, received ? TOP + beside + 10 : (uint32_t)TOP - 8,
             received ? " text-anchor=\"end\"" : "", received ? "is sent" : "sends");
    for (uint32_t i = 0; i < matrix->n; i++) {
        double length = most > 0 ? (double)sums[i] / (double)most * SUM_LENGTH : 0;
        uint32_t along = i * picture->pitch;
        if (sums[i] == 0 || xtf_drawing_left(picture->drawing) < CELL_BYTES)
            continue;
        xtf_draw(picture->drawing, "<rect class=\"xt-bar\" x=\"%u\" y=\"%u\" width=\"%.1f\" height=\"%.1f\">",
                 LEFT + (received ? along : beside), TOP + (received ? beside : along), received ? size : length,
                 received ? length : size);
        xtf_draw(picture->drawing, "<title>process %" PRIu64 " %s %" PRIu64 " B</title></rect>\n",
                 matrix->locations->procs[i], received ? "is sent" : "sends", sums[i]);
    }
}

static void draw_margins(Picture *picture)
{
    const Matrix *matrix = &picture->matrix;
    uint64_t sent[CELLS_MAX] = {0}, received[CELLS_MAX] = {0}, most = 0;

    for (uint32_t i = 0; i < matrix->n * matrix->n; i++) {
        sent[i / matrix->n] += matrix->cells[i].bytes;
        received[i % matrix->n] += matrix->cells[i].bytes;
    }
    for (uint32_t i = 0; i < matrix->n; i++)
        most = MAX(most, MAX(sent[i], received[i]));
    draw_sums(picture, false, sent, most);
    draw_sums(picture, true, received, most);
}

static bool draw_matrix(Picture *picture, GError **error)
{
    Matrix *matrix = &picture->matrix;

    picture->pitch = (uint32_t)CLAMP(picture->side / MAX(matrix->n, 1), 1, CELL_MAX);
    bool is_image = matrix->locations->n_procs > CELLS_MAX;
    bool has_sums = !is_image && !picture->job->in_page && matrix->most > 0;
    int bottom = TOP + (int)(matrix->n * picture->pitch) + (has_sums ? SUM_GAP + SUM_LENGTH : 0);
    g_autofree char *title =
        matrix->block == 1
            ? g_strdup_printf("bytes sent between %" PRIu32 " process%s", matrix->n, matrix->n == 1 ? "" : "es")
            : g_strdup_printf("bytes sent between groups of %" PRIu32 " processes", matrix->block);
    const XtfPictureFrame frame = {.content = title,
                                   .file = picture->job->file,
                                   .from = picture->from,
                                   .to = picture->to,
                                   .width = picture->job->in_page ? PAGE_WIDTH : XTF_PICTURE_WIDTH,
                                   .height = bottom + 40,
                                   .is_bare = picture->job->in_page,
                                   .description = "Who sent how much to whom."};
    xtf_draw_frame(picture->drawing, &frame, &picture->links);
    char paper[XTF_COLOUR_TEXT];
    xtf_colour_print(PAPER, paper);
    draw_styles(picture->drawing, is_image);
    xtf_draw(picture->drawing, "<rect %s=\"%s\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\"/>\n",
             is_image ? "fill" : "class", is_image ? paper : "xt-row", LEFT, TOP, matrix->n * picture->pitch,
             matrix->n * picture->pitch);
    draw_numbers(picture);
    draw_scale(picture, bottom + 12, frame.width);
    if (is_image)
        return draw_image(picture, error);
    if (has_sums)
        draw_margins(picture);
    draw_cells(picture);
    return true;
}

static bool matrix_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfTraceContext *context = job->views->context;
    Picture picture = {.job = job, .drawing = drawing, .side = job->in_page ? PAGE_SIDE : SIDE};
    Matrix *matrix = &picture.matrix;

    if (!(matrix->locations = xtf_trace_context_locations(context, error)))
        return false;
    uint32_t procs = matrix->locations->n_procs;
    matrix->block = (uint32_t)xtf_round_up(
        MAX((procs + picture.side - 1) / picture.side, 1)); /* round, so that the numbers at the sides are round */
    matrix->n = (procs + matrix->block - 1) / matrix->block;
    matrix->cells = g_new0(Cell, (size_t)matrix->n * matrix->n);
    xtf_picture_links_init(&picture.links, context, job->selection, job->depth);
    xtf_selection_window(job->selection, &context->scale, &picture.from, &picture.to);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, add_pair, matrix);
    bool good = xtf_view_pick(job->views, "matrix", job->selection, &picker, error);
    if (good) {
        find_limits(matrix);
        good = draw_matrix(&picture, error);
    }
    xtf_picture_links_finish(&picture.links);
    g_free(matrix->cells);
    return good;
}

const XtfPicture xtf_picture_matrix = {
    .name = "matrix.svg", .of = "matrix", .size = matrix_size, .draw = matrix_draw, .end = "</svg>\n"};
