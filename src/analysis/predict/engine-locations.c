/*
 * Clocks of locations, and the queue of locations that may run.
 */
#include "src/analysis/predict/engine-private.h"

void xtf_engine_wait(XtfEngineLocation *location, uint64_t since, uint64_t until)
{
    XtfPredictedTimes *times = &location->times;

    if (until <= times->end)
        return;
    uint64_t all = until - times->end, waiting = since > times->end ? MIN(since - times->end, all) : 0;
    times->waiting += waiting;
    times->transfer += all - waiting;
    times->end = until;
}

void xtf_engine_spend_overhead(const XtfEngine *engine, XtfEngineLocation *location)
{
    location->times.overhead += engine->machine->overhead;
    location->times.end += engine->machine->overhead;
}

void xtf_engine_shift(XtfEngine *engine, uint32_t location, uint64_t seq)
{
    const XtfPredictionConsumer *consumer = engine->consumer;
    const XtfPredictedTimes *times = &engine->locations[location].times;

    if (consumer && !engine->error)
        consumer->shift(consumer->data, location, seq, times->end - times->computing, &engine->error);
}

void xtf_engine_wake(XtfEngine *engine, uint32_t location)
{
    if (location == XTF_NO_INDEX || engine->locations[location].queued || engine->locations[location].done)
        return;
    engine->locations[location].queued = true;
    g_queue_push_tail(&engine->ready, GUINT_TO_POINTER(location));
}
