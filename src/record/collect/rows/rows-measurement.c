/* Records about the recorder: switched on or off, waits for room, missing records, readings of clocks. */
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

/* ---- Readings of the clocks of other nodes, as rows of tables. */

static bool define_node(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    const XtfClockNodeRow row = {.proc = ring->collector->rank, .node = id};

    xtf_collect_add_row(&ring->collector->tables, XTF_MODEL_CLOCK_NODES, &row);
    return true;
}

static bool define_reading(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    const XtfCollectClock *clock = &ring->collector->clock;
    XtfDefineClockReading reading;

    if (!xtf_collect_read(&data, &reading, sizeof reading))
        return false;
    if (reading.point >= XTF_WIRE_N_CLOCK_POINTS)
        return xtf_collect_malformed(ring, "a clock is read at point %" PRIu32 ", which does not exist", reading.point);
    uint64_t begin = xtf_collect_clock_ns(clock, reading.time);
    uint64_t end = xtf_collect_clock_ns(clock, reading.time + reading.round_trip);
    const XtfClockReadingRow row = {.reading = id,
                                    .proc = ring->collector->rank,
                                    .partner = reading.partner,
                                    .is_reference = reading.is_reference != 0,
                                    .point = (uint8_t)reading.point,
                                    .local = begin,
                                    .round_trip = end - MIN(begin, end)};
    xtf_collect_add_row(&ring->collector->tables, XTF_MODEL_CLOCK_READINGS, &row);
    return true;
}

static const XtfCollectDefinition definitions[] = {
    {XTF_DEFINE_CLOCK_NODE, define_node}, {XTF_DEFINE_CLOCK_READING, define_reading}, {0}};

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_MEASUREMENT, switch_measurement}, {XTF_WIRE_WAITED, append_wait}, {XTF_WIRE_DROPPED, count_dropped}, {0}};
const XtfCollectRows xtf_collect_measurement = {.kinds = kinds, .definitions = definitions};
