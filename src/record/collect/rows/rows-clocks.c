/* Readings of the clocks of other nodes, as rows of tables. */
#include "src/record/collect/rows/collect.h"

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
const XtfCollectRows xtf_collect_clocks = {.definitions = definitions};
