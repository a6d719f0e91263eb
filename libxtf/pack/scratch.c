/*
 * Scratch memory for packing and unpacking, one set per thread, so that a page costs no allocation.
 */
#include "libxtf/base/thread-data.h"
#include "libxtf/pack/pack-format.h"

/* Maximum bytes of a block that stays allocated between uses: leaves need less, large tables more. */
enum { KEPT_BYTES_MAX = 4 << 20 };

typedef struct {
    struct {
        uint8_t *bytes;
        size_t size;
    } blocks[XTF_SCRATCH_N];
} Scratch;

static void free_scratch(gpointer data)
{
    Scratch *scratch = data;

    for (unsigned i = 0; i < XTF_SCRATCH_N; i++)
        g_free(scratch->blocks[i].bytes);
    g_free(scratch);
}

static GPrivate scratch_key = G_PRIVATE_INIT(free_scratch);

uint8_t *xtf_scratch(XtfScratchUse use, size_t size)
{
    Scratch *scratch = xtf_thread_data(&scratch_key, sizeof *scratch);

    if (scratch->blocks[use].size < size) {
        g_free(scratch->blocks[use].bytes);
        scratch->blocks[use].bytes = g_malloc(size);
        scratch->blocks[use].size = size;
    }
    return scratch->blocks[use].bytes;
}

void xtf_scratch_done(void)
{
    Scratch *scratch = g_private_get(&scratch_key);

    for (unsigned i = 0; scratch && i < XTF_SCRATCH_N; i++)
        if (scratch->blocks[i].size > KEPT_BYTES_MAX) {
            g_clear_pointer(&scratch->blocks[i].bytes, g_free);
            scratch->blocks[i].size = 0;
        }
}
