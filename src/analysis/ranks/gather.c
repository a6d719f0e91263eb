#include "src/analysis/ranks/gather.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/analysis/waits/points-private.h"
#include "src/world/stream.h"

enum { POINTS_AT_ONCE = 256 };

typedef enum {
    CALLPATHS,  /* XtfLoggedCallpath: of a rank, before its points */
    POINTS,     /* PointsItem, points, times */
    OPERATIONS, /* OperationItem, members */
} Kind;

/* Some points of a location, in their order. A point's `times` is an index in the times of the item. */
typedef struct {
    uint32_t location, n, n_times, unused;
} PointsItem;

typedef struct {
    uint64_t instance;
    XtfOperation operation;
} OperationItem;

/* The state of the items of a rank. */
typedef struct {
    uint32_t *callpaths; /* numbers of its call paths in this rank */
    uint32_t n_callpaths;
    uint64_t n_points; /* of the location `location` */
    uint32_t location;
} Sender;

typedef struct {
    XtfPoints *points;
    Sender *senders; /* by rank */
} Gathering;

/* ---- Sending. */

static void put_callpaths(const XtfPoints *points, XtfWorldStream *stream)
{
    const GArray *all = points->callpaths->all;
    uint32_t n_bytes = all->len * (uint32_t)sizeof(XtfLoggedCallpath);
    void *to = xtf_world_stream_put(stream, 0, CALLPATHS, n_bytes);

    if (n_bytes > 0)
        memcpy(to, all->data, n_bytes);
}

/* Reads the times of points that follow each other. */
static bool read_ticks(const XtfPoints *points, const XtfPoint *all, uint32_t n, XtfCallpathTicks *to, GError **error)
{
    for (uint32_t i = 0; i < n;) {
        uint64_t at = all[i].times, n_times = 0;
        for (; i < n && (all[i].n_times == 0 || all[i].times == at + n_times * sizeof *to); i++)
            n_times += all[i].n_times;
        if (n_times > 0 && !xtf_spool_get(&points->times, at, to, n_times * sizeof *to, error))
            return false;
        to += n_times;
    }
    return true;
}

static bool put_points(const XtfPoints *points, uint32_t location, XtfPoint *all, uint32_t n, XtfWorldStream *stream,
                       GError **error)
{
    uint32_t n_times = 0;

    for (uint32_t i = 0; i < n; i++)
        n_times += all[i].n_times;
    size_t of_points = n * sizeof *all, of_times = n_times * sizeof(XtfCallpathTicks);
    PointsItem *item = xtf_world_stream_put(stream, 0, POINTS, (uint32_t)(sizeof *item + of_points + of_times));
    XtfPoint *sent = (XtfPoint *)(void *)(item + 1);
    *item = (PointsItem){.location = location, .n = n, .n_times = n_times};
    if (!read_ticks(points, all, n, (XtfCallpathTicks *)(void *)(sent + n), error))
        return false;
    n_times = 0;
    for (uint32_t i = 0; i < n; i++) {
        sent[i] = all[i];
        sent[i].times = n_times;
        n_times += all[i].n_times;
    }
    return true;
}

static bool put_location(const XtfPoints *points, uint32_t number, XtfWorldStream *stream, GError **error)
{
    const XtfPointLocation *location = &points->locations[number];
    XtfPoint all[POINTS_AT_ONCE];

    for (uint64_t at = 0; at < location->n; at += POINTS_AT_ONCE) {
        uint32_t n = (uint32_t)MIN(location->n - at, (uint64_t)POINTS_AT_ONCE);
        if (!xtf_spool_get(&points->points, (location->first + at) * sizeof *all, all, n * sizeof *all, error) ||
            !put_points(points, number, all, n, stream, error))
            return false;
    }
    return true;
}

/* Puts the operations that this rank has numbered. */
static bool put_operations(const XtfPoints *points, XtfWorld *world, XtfWorldStream *stream, GError **error)
{
    XtfOperationHeads heads;
    OperationItem item;

    xtf_operation_heads_init(&heads, &points->operations);
    for (item.instance = xtf_world_rank(world); item.instance < points->operations.n;
         item.instance += xtf_world_size(world)) {
        if (!xtf_operation_heads_get(&heads, item.instance, &item.operation, error))
            return false;
        uint32_t n = item.operation.n_members;
        if (n == 0)
            continue;
        OperationItem *sent =
            xtf_world_stream_put(stream, 0, OPERATIONS, (uint32_t)(sizeof item + n * sizeof(XtfOperationMember)));
        *sent = item;
        if (!xtf_operations_members(&points->operations, &item.operation, (XtfOperationMember *)(void *)(sent + 1),
                                    error))
            return false;
    }
    return true;
}

static bool put_all(const XtfPoints *points, XtfWorld *world, XtfWorldStream *stream, GError **error)
{
    put_callpaths(points, stream);
    for (uint32_t i = 0; i < points->n_locations; i++)
        if (!put_location(points, i, stream, error))
            return false;
    return put_operations(points, world, stream, error);
}

/* ---- Reading. */

static void read_callpaths(Gathering *gathering, unsigned from, const XtfLoggedCallpath *all, uint32_t n)
{
    Sender *sender = &gathering->senders[from];

    sender->n_callpaths = n;
    sender->callpaths = g_new(uint32_t, n + 1);
    xtf_callpath_log_join(gathering->points->callpaths, all, n, sender->callpaths);
}

static uint32_t callpath_of(const Sender *sender, uint32_t callpath)
{
    return callpath < sender->n_callpaths ? sender->callpaths[callpath] : UINT32_MAX;
}

static bool read_points(Gathering *gathering, unsigned from, const PointsItem *item, GError **error)
{
    Sender *sender = &gathering->senders[from];
    g_autofree XtfPoint *points = g_memdup2(item + 1, item->n * sizeof *points);
    const XtfCallpathTicks *sent = (const XtfCallpathTicks *)(const void *)((const XtfPoint *)(item + 1) + item->n);
    g_autofree XtfCallpathTicks *times = g_new(XtfCallpathTicks, item->n_times + 1);

    if (sender->location != item->location)
        sender->n_points = 0;
    sender->location = item->location;
    for (uint32_t i = 0; i < item->n; i++)
        points[i].callpath = callpath_of(sender, points[i].callpath);
    for (uint32_t i = 0; i < item->n_times; i++)
        times[i] = (XtfCallpathTicks){.ticks = sent[i].ticks, .callpath = callpath_of(sender, sent[i].callpath)};
    uint64_t first = gathering->points->locations[item->location].first + sender->n_points;
    sender->n_points += item->n;
    return xtf_points_put(gathering->points, first, points, item->n, times, item->n_times, error);
}

static bool read_operation(Gathering *gathering, const OperationItem *item, GError **error)
{
    XtfOperation operation = item->operation;
    uint32_t n = operation.n_members;
    g_autofree XtfOperationMember *members = g_memdup2(item + 1, n * sizeof *members);

    return xtf_operations_put(&gathering->points->operations, item->instance, &operation, members, n, error);
}

static bool read_item(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    switch ((Kind)kind) {
    case CALLPATHS:
        read_callpaths(data, from, bytes, n_bytes / (uint32_t)sizeof(XtfLoggedCallpath));
        return true;
    case POINTS:
        return read_points(data, from, bytes, error);
    case OPERATIONS:
        return read_operation(data, bytes, error);
    }
    return true;
}

/* ---- Locations. */

/* Finds the clock of a location in its arrays of records. */
static bool find_clock(const XtfPoints *points, const XtfLocation *known, XtfPointLocation *location, GError **error)
{
    g_autofree XtfArray *arrays = g_new(XtfArray, known->n_arrays + 1);
    XtfTrace *trace = xtf_replay_context(points->replay)->trace;

    location->clock = NULL;
    if (known->n_arrays > 0 && !xtf_trace_get_arrays(trace, known->first_array, known->n_arrays, arrays, error))
        return false;
    for (uint64_t i = 0; i < known->n_arrays; i++)
        if (arrays[i].schema->kind == XTF_SCHEMA_RECORD)
            location->clock = arrays[i].clock;
    return true;
}

/* A location that a rank has, by its index. */
typedef struct {
    uint32_t index;
    XtfPointLocation location;
} Known;

/* Adds the locations of other ranks to the table of rank 0. Their points get room behind the points of rank 0. */
static bool join_locations(XtfPoints *points, const GPtrArray *all, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(xtf_replay_context(points->replay), error);

    if (!locations)
        return false;
    for (guint rank = 1; rank < all->len; rank++) {
        gsize size;
        const Known *known = g_bytes_get_data(all->pdata[rank], &size);
        for (gsize i = 0; i < size / sizeof *known; i++) {
            XtfPointLocation *location = &points->locations[known[i].index];
            *location = known[i].location;
            location->first = points->n;
            points->n += location->n;
            if (!find_clock(points, &locations->all[known[i].index], location, error))
                return false;
        }
    }
    return true;
}

/* Sends the locations of all ranks to rank 0. */
static bool gather_locations(XtfPoints *points, XtfWorld *world, GError **error)
{
    g_autoptr(GArray) known = g_array_new(FALSE, FALSE, sizeof(Known));

    for (uint32_t i = 0; xtf_world_rank(world) > 0 && i < points->n_locations; i++) {
        const Known one = {i, points->locations[i]};
        if (one.location.n > 0)
            g_array_append_val(known, one);
    }
    g_autoptr(GBytes) packed = g_bytes_new(known->data, known->len * sizeof(Known));
    g_autoptr(GPtrArray) all = xtf_world_gather(world, packed);
    return !all || join_locations(points, all, error);
}

bool xtf_points_gather(XtfPoints *points, XtfWorld *world, GError **error)
{
    unsigned n = xtf_world_size(world);
    g_autoptr(XtfWorldStream) stream = xtf_world_stream_new(world);
    g_autofree Sender *senders = g_new0(Sender, n);
    Gathering gathering = {.points = points, .senders = senders};
    GError *own = NULL;

    gather_locations(points, world, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    own = NULL;
    for (unsigned i = 0; i < n; i++)
        senders[i].location = UINT32_MAX;
    if (xtf_world_rank(world) == 0 || put_all(points, world, stream, &own))
        xtf_world_stream_end(stream, read_item, &gathering, &own);
    for (unsigned i = 0; i < n; i++)
        g_free(senders[i].callpaths);
    return xtf_world_have_succeeded(world, own, error);
}
