#include "src/analysis/rows/rank-rows.h"

#include <string.h>

#include "libxtf/transfer.h"
#include "src/world/stream.h"

/* ---- Writers. */

/* The layout of the file's pages, as rank 0 sends it. */
typedef struct {
    uint32_t page_size, level;
    char codec[24];
} Layout;

static GBytes *pack_layout(const XtfWriter *writer)
{
    XtfWriterOptions options;
    Layout layout = {0};

    xtf_writer_layout(writer, &options);
    layout.page_size = options.page_size;
    layout.level = options.level;
    g_strlcpy(layout.codec, options.codec, sizeof layout.codec);
    return g_bytes_new(&layout, sizeof layout);
}

bool xtf_rank_rows_begin(XtfWorld *world, const XtfWriter *writer, XtfWriter **own, GError **error)
{
    g_autoptr(GBytes) packed = writer ? pack_layout(writer) : NULL, shared = xtf_world_broadcast(world, packed);
    const Layout *layout = g_bytes_get_data(shared, NULL);
    const XtfWriterOptions options = {.page_size = layout->page_size, .level = layout->level, .codec = layout->codec};
    GError *problem = NULL;

    g_autoptr(XtfWriter) created = writer ? NULL : xtf_writer_create_sender(&options, &problem);
    if (!xtf_world_have_succeeded(world, problem, error))
        return false;
    *own = g_steal_pointer(&created);
    return true;
}

/* ---- Moving the rows. */

typedef struct {
    XtfWriter *writer;
    XtfReceiver **receivers; /* in rank 0, by rank */
    XtfTransferPlace place;  /* in ranks above 0 */
    XtfWorldStream *stream;
} Rows;

static void *put_block(void *data, uint32_t n_bytes, GError **error)
{
    const Rows *rows = data;

    return xtf_world_stream_put(rows->stream, 0, 0, n_bytes);
}

static bool send_rows(void *data, XtfWorldStream *stream, GError **error)
{
    Rows *rows = data;

    rows->stream = stream;
    return xtf_transfer_send(rows->writer, &rows->place, put_block, rows, error);
}

static bool receive_block(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    const Rows *rows = data;

    return xtf_receiver_read(rows->receivers[from], bytes, n_bytes, error);
}

/* Reserves the places of all ranks' arrays in the file, in rank 0. The caller unrefs them. */
static GBytes *assign_places(Rows *rows, unsigned n_ranks, GPtrArray *sizes, GError **error)
{
    g_autofree XtfTransferPlace *places = g_new0(XtfTransferPlace, n_ranks);

    rows->receivers = g_new0(XtfReceiver *, n_ranks);
    for (unsigned rank = 1; rank < n_ranks; rank++) {
        rows->receivers[rank] = xtf_receiver_new(rows->writer, g_bytes_get_data(sizes->pdata[rank], NULL), error);
        if (!rows->receivers[rank])
            break;
        places[rank] = xtf_receiver_place(rows->receivers[rank]);
    }
    return g_bytes_new(places, n_ranks * sizeof *places);
}

/* Gets the places of the arrays of each rank. Collective. */
static bool share_places(Rows *rows, XtfWorld *world, GError **error)
{
    unsigned rank = xtf_world_rank(world), n_ranks = xtf_world_size(world);
    XtfTransferSize size = {0};
    GError *own = NULL;

    if (rank > 0)
        xtf_transfer_size(rows->writer, &size, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    own = NULL;
    g_autoptr(GBytes) packed = g_bytes_new(&size, sizeof size);
    g_autoptr(GPtrArray) sizes = xtf_world_gather(world, packed);
    g_autoptr(GBytes) found = rank == 0 ? assign_places(rows, n_ranks, sizes, &own) : NULL;
    g_autoptr(GBytes) shared = xtf_world_broadcast(world, found);
    rows->place = ((const XtfTransferPlace *)g_bytes_get_data(shared, NULL))[rank];
    return xtf_world_have_succeeded(world, own, error);
}

/* Checks that rank 0 has all arrays. Collective. */
static bool check_end(const Rows *rows, XtfWorld *world, GError **error)
{
    GError *own = NULL;

    for (unsigned rank = 1; rows->receivers && !own && rank < xtf_world_size(world); rank++)
        xtf_receiver_end(rows->receivers[rank], &own);
    return xtf_world_have_succeeded(world, own, error);
}

bool xtf_rank_rows_gather(XtfWorld *world, XtfWriter *writer, GError **error)
{
    Rows rows = {.writer = writer};

    bool good = share_places(&rows, world, error) &&
                xtf_world_take_turns(world, send_rows, receive_block, &rows, error) && check_end(&rows, world, error);
    for (unsigned rank = 1; rows.receivers && rank < xtf_world_size(world); rank++)
        xtf_receiver_free(rows.receivers[rank]);
    g_free(rows.receivers);
    return good;
}
