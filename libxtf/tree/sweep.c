/*
 * A sweep is a source before the trace's source, which reads ahead, and a small page cache over it.
 */
#include "libxtf/sweep.h"

#include <string.h>

#include "libxtf/tree/trace-private.h"

enum {
    CACHE_BYTES = 512 << 10, /* a few locations: what is done with one gets its blocks several times */
    RUN_BYTES = 64 << 10,    /* that are read in one go */
    NEAR_BYTES = 32 << 10,   /* a read so little behind the one before goes on with it */
};

struct XtfSweep {
    XtfSource source; /* first: the cache's source is the sweep */
    XtfSource *under;
    XtfCache *cache;
    uint8_t *run; /* bytes [run_from, run_to) of the source */
    uint64_t run_from, run_to;
    uint64_t read_to; /* the end of what was asked for last */
};

/* Reads a run from an offset on, if that goes: what lies behind the bytes asked for may be damaged, or in another file.
 */
static bool read_run(XtfSweep *sweep, uint64_t offset)
{
    uint64_t length = MIN(xtf_source_size(sweep->under) - offset, (uint64_t)RUN_BYTES);

    if (!sweep->run)
        sweep->run = g_malloc(RUN_BYTES);
    sweep->run_from = sweep->run_to = 0;
    if (!sweep->under->ops->read(sweep->under, offset, sweep->run, length, NULL))
        return false;
    sweep->run_from = offset;
    sweep->run_to = offset + length;
    return true;
}

static bool sweep_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    XtfSweep *sweep = (XtfSweep *)source;
    bool goes_on = offset >= sweep->read_to && offset - sweep->read_to <= NEAR_BYTES;
    bool there = offset >= sweep->run_from && offset < sweep->run_to && length <= sweep->run_to - offset;

    sweep->read_to = offset + length;
    if (!there && goes_on && length <= RUN_BYTES)
        there = read_run(sweep, offset);
    if (!there)
        return sweep->under->ops->read(sweep->under, offset, buffer, length, error);
    memcpy(buffer, sweep->run + (offset - sweep->run_from), length);
    return true;
}

static const uint8_t *sweep_map(XtfSource *source, uint64_t offset, size_t length)
{
    XtfSource *under = ((XtfSweep *)source)->under;

    return under->ops->map ? under->ops->map(under, offset, length) : NULL;
}

static uint64_t sweep_where(XtfSource *source, uint64_t offset)
{
    XtfSource *under = ((XtfSweep *)source)->under;

    return under->ops->where ? under->ops->where(under, offset) : offset;
}

static void sweep_blame(XtfSource *source, uint64_t offset, GError **error)
{
    XtfSource *under = ((XtfSweep *)source)->under;

    if (under->ops->blame)
        under->ops->blame(under, offset, error);
}

static const XtfSourceOps sweep_ops = {
    .read = sweep_read,
    .map = sweep_map,
    .where = sweep_where,
    .blame = sweep_blame,
};

XtfSweep *xtf_sweep_new(XtfTrace *trace)
{
    XtfSweep *sweep = g_new0(XtfSweep, 1);

    sweep->source = (XtfSource){.ops = &sweep_ops, .size = xtf_source_size(trace->source)};
    sweep->under = trace->source;
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
