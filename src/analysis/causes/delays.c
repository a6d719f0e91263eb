#include "src/analysis/causes/delays.h"

#include "libxtf/error.h"
#include "src/analysis/replay/logs/spool.h"
#include "src/analysis/rows/row-sink.h"
#include "src/files/paged.h"
#include "src/model/schemas.h"

enum {
    BUFFERS_BYTES = 8 << 20,
    ROOM_MIN = 8, /* least room of a location's buffer, in delays */
    ROOM_MAX = 256,
    DELAYS_PER_RELEASE = 1024,    /* delays added between releases of the buffers' pages */
    LOCATIONS_PER_RELEASE = 1024, /* locations written between releases of pages */
};

/* The delays of a location: full parts in the file, and the latest ones in the buffer. */
typedef struct {
    GArray *parts; /* uint64_t: offsets in the file; NULL: none yet */
    uint64_t n;
} Location;

struct XtfDelays {
    XtfSpool spool;
    Location *locations;
    uint32_t n_locations, room;
    XtfDelay *buffers; /* of `room` delays each, by location, in `paged` */
    XtfPaged paged;
    uint32_t n_added; /* atomic: delays added since the pages were released */
    XtfDelay *part;   /* the part that was read last */
    uint64_t part_at; /* offset of the part that was read last; UINT64_MAX: none was read */
};

XtfDelays *xtf_delays_new(uint32_t n_locations, GError **error)
{
    g_autoptr(XtfDelays) delays = g_new0(XtfDelays, 1);

    *delays = (XtfDelays){
        .spool = XTF_SPOOL_NONE,
        .locations = g_new0(Location, MAX(n_locations, 1)),
        .n_locations = n_locations,
        .room = CLAMP(BUFFERS_BYTES / sizeof(XtfDelay) / MAX(n_locations, 1), ROOM_MIN, ROOM_MAX),
        .part_at = UINT64_MAX,
    };
    delays->buffers =
        xtf_paged_grow(&delays->paged, MAX((size_t)n_locations, 1) * delays->room * sizeof *delays->buffers);
    return xtf_spool_open(&delays->spool, error) ? g_steal_pointer(&delays) : NULL;
}

void xtf_delays_free(XtfDelays *delays)
{
    if (!delays)
        return;
    for (uint32_t i = 0; i < delays->n_locations; i++)
        g_clear_pointer(&delays->locations[i].parts, g_array_unref);
    xtf_paged_free(&delays->paged);
    g_free(delays->locations);
    g_free(delays->part);
    xtf_spool_close(&delays->spool);
    g_free(delays);
}

bool xtf_delays_add(XtfDelays *delays, uint32_t number, const XtfDelay *delay, GError **error)
{
    Location *location = &delays->locations[number];
    XtfDelay *buffer = delays->buffers + (size_t)number * delays->room;
    uint64_t size = delays->room * sizeof *delay;

    if (__atomic_add_fetch(&delays->n_added, 1, __ATOMIC_RELAXED) >= DELAYS_PER_RELEASE) {
        __atomic_store_n(&delays->n_added, 0, __ATOMIC_RELAXED);
        xtf_paged_page_out(&delays->paged);
    }
    buffer[location->n++ % delays->room] = *delay;
    if (location->n % delays->room != 0)
        return true;
    if (!location->parts)
        location->parts = g_array_new(false, false, sizeof(uint64_t));
    uint64_t at = xtf_spool_allot(&delays->spool, size);
    g_array_append_val(location->parts, at);
    return xtf_spool_put(&delays->spool, at, buffer, size, error);
}

uint64_t xtf_delays_n(const XtfDelays *delays, uint32_t location)
{
    return delays->locations[location].n;
}

static bool read_delays(XtfDelays *delays, uint64_t at, GError **error)
{
    if (delays->part_at == at)
        return true;
    if (!delays->part)
        delays->part = g_new(XtfDelay, delays->room);
    delays->part_at = UINT64_MAX;
    if (!xtf_spool_get(&delays->spool, at, delays->part, delays->room * sizeof *delays->part, error))
        return false;
    delays->part_at = at;
    return true;
}

bool xtf_delays_get(XtfDelays *delays, uint32_t number, uint64_t i, XtfDelay *delay, GError **error)
{
    const Location *location = &delays->locations[number];
    uint64_t added = location->n - 1 - i, part = added / delays->room, at = added % delays->room;

    if (!location->parts || part == location->parts->len) {
        *delay = delays->buffers[(size_t)number * delays->room + at];
        return true;
    }
    if (!read_delays(delays, g_array_index(location->parts, uint64_t, part), error))
        return false;
    *delay = delays->part[at];
    return true;
}

static bool write_location(const XtfPoints *points, XtfDelays *delays, uint32_t number, XtfRowSink *sink,
                           XtfSteps *steps, GError **error)
{
    enum { ROWS_PER_CHECK = 4096 };
    const XtfPointLocation *location = xtf_points_location(points, number);
    const XtfClockMap *clock = location->clock;
    uint64_t n = xtf_delays_n(delays, number);
    XtfDelay delay;

    for (uint64_t i = 0; i < n; i++) {
        if (i % ROWS_PER_CHECK == 0 && !xtf_steps_advance(steps, i > 0 ? ROWS_PER_CHECK : 0, error))
            return false;
        if (!xtf_delays_get(delays, number, i, &delay, error))
            return false;
        const XtfDelaysRow row = {
            .time = clock ? xtf_clock_map_to_local(clock, delay.time) : delay.time,
            .seq = delay.seq,
            .region = delay.callpath == UINT32_MAX ? XTF_NONE32 : xtf_points_callpath_region(points, delay.callpath),
            .event = xtf_cost_label(delay.cost),
            .context = delay.callpath,
            .short_term = delay.short_term,
            .long_term = delay.long_term,
        };
        if (!xtf_row_sink_append(sink, location->id, &row, error))
            return false;
    }
    return xtf_steps_advance(steps, n % ROWS_PER_CHECK, error);
}

typedef struct {
    const XtfPoints *points;
    XtfDelays *delays;
    XtfSteps *steps;
} Rows;

static bool write_locations(void *data, XtfRowSink *sink, GError **error)
{
    const Rows *rows = data;
    XtfDelays *delays = rows->delays;

    for (uint32_t i = 0; i < delays->n_locations; i++) {
        xtf_points_page_out_sometimes(rows->points, i);
        if (i % LOCATIONS_PER_RELEASE == 0)
            xtf_paged_page_out(&delays->paged);
        if (xtf_delays_n(delays, i) > 0 && !write_location(rows->points, delays, i, sink, rows->steps, error))
            return false;
    }
    return true;
}

bool xtf_delays_write(const XtfPoints *points, XtfDelays *delays, XtfWriter *writer, XtfSteps *steps, GError **error)
{
    Rows rows = {points, delays, steps};
    uint64_t n = 0;

    for (uint32_t i = 0; i < delays->n_locations; i++)
        n += xtf_delays_n(delays, i);
    xtf_steps_begin(steps, "writing delays", n);
    return xtf_row_sink_write(writer, XTF_MODEL_DELAYS, write_locations, &rows, error);
}
