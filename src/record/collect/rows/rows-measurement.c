/* Records about the recorder: switched on or off, waits for room, missing records. */
#include "src/record/collect/rows/collect.h"

enum { ON = 1, OFF = 2 }; /* indices in xtf_measurement_modes */

bool xtf_collect_enter_off(XtfCollectRing *ring, uint64_t time)
{
    if (ring->off)
        return true;
    ring->off = true;
    return xtf_stream_enter(&ring->stream, time, xtf_collect_off_region(ring->collector));
}

bool xtf_collect_leave_off(XtfCollectRing *ring, uint64_t time)
{
    if (!ring->off)
        return true;
    ring->off = false;
    return xtf_stream_leave(&ring->stream, time, xtf_collect_off_region(ring->collector));
}

/* Appends the switch, and enters or leaves the region of the time in which nothing is recorded. */
static bool switch_measurement(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfMeasurementRow row = {.mode = head.arg, .stop = XTF_NONE64};

    ring->collector->counts.framing++;
    if (head.arg != ON && head.arg != OFF)
        return xtf_collect_malformed(ring, "mode %" PRIu32 " of measurement does not exist", head.arg);
    if (!xtf_collect_leave_off(ring, time))
        return false;
    row.region = xtf_stream_region(&ring->stream);
    return xtf_stream_append(&ring->stream, XTF_MODEL_MEASUREMENT, XTF_LABEL_MEASUREMENT_ON_OFF, time, &row) &&
           (head.arg == ON || xtf_collect_enter_off(ring, time));
}

/* Appends a wait for room, or the time of readings of other nodes' clocks. */
static bool append_wait(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint64_t stop = xtf_collect_clock_ns(&ring->collector->clock, more[0]);
    XtfMeasurementRow row = {.region = xtf_stream_region(&ring->stream), .mode = UINT8_MAX, .stop = MAX(stop, time)};

    ring->collector->counts.framing++;
    if (head.region == 0) {
        ring->collector->counts.waits++;
        ring->collector->counts.waited_ns += row.stop - time;
    } else {
        ring->collector->counts.reading_ns += row.stop - time;
    }
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
