#include "src/analysis/ranks/exchange.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/analysis/formulas/blocks.h"
#include "src/analysis/waits/points-private.h"
#include "src/world/stream.h"

/* ---- Call paths. */

/* A head of call paths that follow. */
typedef struct {
    uint32_t n, depth_max;
} CallpathsHead;

static GBytes *pack_callpaths(const XtfCallpathLog *callpaths)
{
    const CallpathsHead head = {callpaths->all->len, callpaths->depth_max};
    GByteArray *packed = g_byte_array_new();

    g_byte_array_append(packed, (const guint8 *)&head, sizeof head);
    g_byte_array_append(packed, (const guint8 *)callpaths->all->data,
                        callpaths->all->len * (guint)sizeof(XtfLoggedCallpath));
    return g_byte_array_free_to_bytes(packed);
}

static const XtfLoggedCallpath *unpack_callpaths(GBytes *packed, CallpathsHead *head)
{
    const uint8_t *bytes = g_bytes_get_data(packed, NULL);

    memcpy(head, bytes, sizeof *head);
    return (const XtfLoggedCallpath *)(const void *)(bytes + sizeof *head);
}

/* Joins the call paths of all ranks in rank 0, which numbers them. */
static void join_callpaths(XtfCallpathLog *callpaths, XtfWorld *world)
{
    g_autoptr(GBytes) own = pack_callpaths(callpaths);
    g_autoptr(GPtrArray) all = xtf_world_gather(world, own);
    CallpathsHead head;

    for (guint rank = 1; all && rank < all->len; rank++) {
        const XtfLoggedCallpath *added = unpack_callpaths(all->pdata[rank], &head);
        g_autofree uint32_t *numbers = g_new(uint32_t, (size_t)head.n + 1);
        xtf_callpath_log_join(callpaths, added, head.n, numbers);
    }
    if (all)
        xtf_callpath_log_number(callpaths);
    g_autoptr(GBytes) joined = all ? pack_callpaths(callpaths) : NULL, shared = xtf_world_broadcast(world, joined);
    const XtfLoggedCallpath *numbered = unpack_callpaths(shared, &head);
    if (!all)
        xtf_callpath_log_adopt(callpaths, numbered, head.n, head.depth_max);
}

/* ---- Operations. */

typedef enum {
    MEMBERS,   /* OperationItem, members */
    OPERATION, /* OperationItem of an operation with the members of an earlier one */
} Kind;

typedef struct {
    uint64_t instance;
    XtfOperation operation;
} OperationItem;

typedef struct {
    XtfPoints *points;
    XtfWorld *world;
    const uint32_t *borders;
    XtfWorldStream *stream;
    bool *has_member;   /* by rank: of the current operation */
    GHashTable *places; /* by `first` of an operation of the rank that sends: where the members are in this rank */
} Exchange;

static void put_operation(Exchange *exchange, unsigned to, const OperationItem *item, const XtfOperationMember *members)
{
    bool is_known = g_hash_table_contains(exchange->places, &item->operation.first);
    size_t bytes = is_known ? 0 : item->operation.n_members * sizeof *members;
    OperationItem *sent =
        xtf_world_stream_put(exchange->stream, to, is_known ? OPERATION : MEMBERS, (uint32_t)(sizeof *sent + bytes));

    *sent = *item;
    if (!is_known)
        memcpy(sent + 1, members, bytes);
}

/* Keeps where the members of an operation of the sender are. */
static void keep_place(Exchange *exchange, uint64_t first, uint64_t place)
{
    g_hash_table_insert(exchange->places, g_memdup2(&first, sizeof first), g_memdup2(&place, sizeof place));
}

/* Sends an operation to the ranks that have a point in it. */
static bool send_operation(Exchange *exchange, OperationItem *item, GError **error)
{
    unsigned n_ranks = xtf_world_size(exchange->world);
    uint32_t n = item->operation.n_members;
    g_autofree XtfOperationMember *members = g_new(XtfOperationMember, (size_t)n + 1);

    if (!xtf_operations_members(&exchange->points->operations, &item->operation, members, error))
        return false;
    memset(exchange->has_member, 0, n_ranks * sizeof *exchange->has_member);
    for (uint32_t i = 0; i < n; i++)
        exchange->has_member[xtf_block_of(exchange->borders, n_ranks, members[i].location)] |= members[i].synchronises;
    for (unsigned to = 0; to < n_ranks; to++)
        if (exchange->has_member[to] && to != xtf_world_rank(exchange->world))
            put_operation(exchange, to, item, members);
    keep_place(exchange, item->operation.first, 0);
    return true;
}

/* Sends the operations that this rank has numbered. */
static bool send_operations(Exchange *exchange, uint64_t n, GError **error)
{
    XtfOperationHeads heads;
    OperationItem item;

    xtf_operation_heads_init(&heads, &exchange->points->operations);
    for (item.instance = xtf_world_rank(exchange->world); item.instance < n;
         item.instance += xtf_world_size(exchange->world)) {
        if (!xtf_operation_heads_get(&heads, item.instance, &item.operation, error))
            return false;
        if (item.operation.n_members > 0 && !send_operation(exchange, &item, error))
            return false;
    }
    return true;
}

static bool read_operation(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes,
                           GError **error)
{
    Exchange *exchange = data;
    const OperationItem *item = bytes;
    XtfOperation operation = item->operation;
    XtfOperations *operations = &exchange->points->operations;

    if (kind == OPERATION) {
        operation.first = *(const uint64_t *)g_hash_table_lookup(exchange->places, &item->operation.first);
        return xtf_operations_put_head(operations, item->instance, &operation, error);
    }
    g_autofree XtfOperationMember *members = g_memdup2(item + 1, operation.n_members * sizeof *members);
    if (!xtf_operations_put(operations, item->instance, &operation, members, operation.n_members, error))
        return false;
    keep_place(exchange, item->operation.first, operation.first);
    return true;
}

/* Sends operations to the ranks of their members. The ranks send one after the other. */
static bool exchange_operations(Exchange *exchange, GError **error)
{
    uint64_t n = exchange->points->operations.n; /* the rank's own ones are below */

    for (unsigned rank = 0; rank < xtf_world_size(exchange->world); rank++) {
        g_autoptr(XtfWorldStream) stream = exchange->stream = xtf_world_stream_new(exchange->world);
        GError *own = NULL;
        g_hash_table_remove_all(exchange->places);
        if (xtf_world_rank(exchange->world) != rank || send_operations(exchange, n, &own))
            xtf_world_stream_end(stream, read_operation, exchange, &own);
        if (!xtf_world_have_succeeded(exchange->world, own, error))
            return false;
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

/* Adds the locations of other ranks to the table of rank 0, without points. */
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
            location->first = location->n = 0;
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

bool xtf_points_exchange(XtfPoints *points, XtfWorld *world, const uint32_t *borders, GError **error)
{
    Exchange exchange = {.points = points,
                         .world = world,
                         .borders = borders,
                         .has_member = g_new(bool, xtf_world_size(world)),
                         .places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free)};
    GError *own = NULL;

    join_callpaths(points->callpaths, world);
    gather_locations(points, world, &own);
    bool good = xtf_world_have_succeeded(world, own, error) && exchange_operations(&exchange, error);
    g_free(exchange.has_member);
    g_hash_table_unref(exchange.places);
    return good;
}
