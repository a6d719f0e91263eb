/*
 * A sweep is a source that wraps the trace's source and reads ahead, with a small page cache over it.
 */
#include "libxtf/sweep.h"

#include <string.h>

#include "libxtf/tree/trace-private.h"

enum {
    CACHE_BYTES = 512 << 10, /* for the blocks of a few locations, each of which is read several times */
    RUN_BYTES = 64 << 10,    /* bytes per read-ahead */
    /* a read that begins at most so far after the end of the previous one is sequential */
    SEQUENTIAL_GAP_BYTES = 32 << 10,
};

struct XtfSweep {
    XtfSource source; /* first member: the cache's source is the sweep */
    XtfSource *base_source;
    XtfCache *cache;
    uint8_t *run; /* bytes [run_from, run_to) of the source */
    uint64_t run_from, run_to;
    uint64_t read_to; /* end of the last requested read */
};

/* Reads ahead from an offset. May fail, because the bytes behind the requested ones may be damaged or in another file.
 */
static bool read_ahead(XtfSweep *sweep, uint64_t offset)
{
    uint64_t length = MIN(xtf_source_size(sweep->base_source) - offset, (uint64_t)RUN_BYTES);

    if (!sweep->run)
        sweep->run = g_malloc(RUN_BYTES);
    sweep->run_from = sweep->run_to = 0;
    if (!sweep->base_source->ops->read(sweep->base_source, offset, sweep->run, length, NULL))
        return false;
    sweep->run_from = offset;
    sweep->run_to = offset + length;
    return true;
}

static bool sweep_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    XtfSweep *sweep = (XtfSweep *)source;
    bool sequential = offset >= sweep->read_to && offset - sweep->read_to <= SEQUENTIAL_GAP_BYTES;
    bool buffered = offset >= sweep->run_from && offset < sweep->run_to && length <= sweep->run_to - offset;

    sweep->read_to = offset + length;
    if (!buffered && sequential && length <= RUN_BYTES)
        buffered = read_ahead(sweep, offset);
    if (!buffered)
        return sweep->base_source->ops->read(sweep->base_source, offset, buffer, length, error);
    memcpy(buffer, sweep->run + (offset - sweep->run_from), length);
    return true;
}

static const uint8_t *sweep_map(XtfSource *source, uint64_t offset, size_t length)
{
    XtfSource *base_source = ((XtfSweep *)source)->base_source;

    return base_source->ops->map ? base_source->ops->map(base_source, offset, length) : NULL;
}

static uint64_t sweep_file_offset(XtfSource *source, uint64_t offset)
{
    XtfSource *base_source = ((XtfSweep *)source)->base_source;

    return base_source->ops->file_offset ? base_source->ops->file_offset(base_source, offset) : offset;
}

static void sweep_name_file(XtfSource *source, uint64_t offset, GError **error)
{
    XtfSource *base_source = ((XtfSweep *)source)->base_source;

    if (base_source->ops->name_file)
        base_source->ops->name_file(base_source, offset, error);
}

static const XtfSourceOps sweep_ops = {
    .read = sweep_read,
    .map = sweep_map,
    .file_offset = sweep_file_offset,
    .name_file = sweep_name_file,
};

XtfSweep *xtf_sweep_new(XtfTrace *trace)
{
    XtfSweep *sweep = g_new0(XtfSweep, 1);

    sweep->source = (XtfSource){.ops = &sweep_ops, .size = xtf_source_size(trace->source)};
    sweep->base_source = trace->source;
    sweep->cache = xtf_cache_new(&sweep->source, CACHE_BYTES);
    return sweep;
}

void xtf_sweep_free(XtfSweep *sweep)
{
    if (!sweep)
        return;
    xtf_cache_free(sweep->cache);
    g_free(sweep->run);
    g_free(sweep);
}

void xtf_sweep_take(XtfSweep *sweep, XtfArray *array)
{
    array->cache = sweep ? sweep->cache : NULL;
}
