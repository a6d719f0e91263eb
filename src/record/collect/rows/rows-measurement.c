/* Records about the recorder: switched on or off, waits for room, missing records. */
#include "src/record/collect/rows/collect.h"

static bool switch_measurement(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfMeasurementRow row = {.region = xtf_stream_region(&ring->stream), .mode = head.arg, .stop = XTF_NONE64};

    ring->collector->counts.framing++;
    if (head.arg != 1 && head.arg != 2)
        return xtf_collect_malformed(ring, "mode %" PRIu32 " of measurement does not exist", head.arg);
    return xtf_stream_append(&ring->stream, XTF_MODEL_MEASUREMENT, XTF_LABEL_MEASUREMENT_ON_OFF, time, &row);
}

static bool append_wait(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint64_t stop = xtf_collect_clock_ns(&ring->collector->clock, more[0]);
    XtfMeasurementRow row = {.region = xtf_stream_region(&ring->stream), .mode = UINT8_MAX, .stop = MAX(stop, time)};

    ring->collector->counts.framing++;
    ring->collector->counts.waits++;
    ring->collector->counts.waited_ns += row.stop - time;
    return xtf_stream_append(&ring->stream, XTF_MODEL_MEASUREMENT, XTF_LABEL_BUFFER_FLUSH, time, &row);
}

static bool count_dropped(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    ring->collector->counts.framing++;
    ring->collector->counts.dropped += more[0];
    return true;
}

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_MEASUREMENT, switch_measurement}, {XTF_WIRE_WAITED, append_wait}, {XTF_WIRE_DROPPED, count_dropped}, {0}};
const XtfCollectRows xtf_collect_measurement = {.kinds = kinds};
