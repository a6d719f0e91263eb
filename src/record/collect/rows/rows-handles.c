/* Communicators, their groups, and topologies. Windows are in rows-rma.c. */
#include <string.h>

#include "src/model/labels.h"
#include "src/record/collect/rows/collect.h"

enum { LABEL_MPI = 4, LABEL_UPC = 12 }; /* indices in xtf_paradigm_names */

/* The id of the group of all locations of UPC. */
#define UPC_LOCATIONS UINT32_C(0xfffffff1)

/* ---- Definitions. */

/* Adds a COMM_SELF group. A communicator like MPI_COMM_SELF has no group, since its member depends on the process; a
 * group of this type marks such communicators. */
static void add_self_group(XtfCollectTables *tables, uint32_t id)
{
    uint32_t row = xtf_collect_row(tables, XTF_MODEL_GROUPS, id);
    XtfGroupRow *group = xtf_collect_change_row(tables, XTF_MODEL_GROUPS, row);

    group->type = XTF_GROUP_TYPE_COMM_SELF;
    group->paradigm = LABEL_MPI;
}

static bool define_comm(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollector *collector = ring->collector;
    g_autofree char *name = NULL;
    XtfDefineComm comm;

    if (!xtf_collect_read(&data, &comm, sizeof comm) || !xtf_collect_read_text(&data, comm.name_size, &name))
        return false;
    if (id >= XTF_WIRE_NONE)
        return xtf_collect_malformed(ring, "communicator %" PRIu64 " cannot be defined", id);
    uint32_t row = xtf_collect_row(&collector->tables, XTF_MODEL_COMMUNICATORS, (uint32_t)id);
    uint32_t text = xtf_collect_string(&collector->tables, name);
    uint32_t group = xtf_collect_reference(collector, XTF_MODEL_GROUPS, comm.group);
    uint32_t remote = xtf_collect_reference(collector, XTF_MODEL_GROUPS, comm.remote_group);
    uint32_t parent = xtf_collect_reference(collector, XTF_MODEL_COMMUNICATORS, comm.parent);
    if (comm.group == XTF_WIRE_NONE && !(comm.flags & XTF_WIRE_NAME_ONLY))
        add_self_group(&collector->tables, (uint32_t)id);
    XtfCommunicatorRow *to = xtf_collect_change_row(&collector->tables, XTF_MODEL_COMMUNICATORS, row);
    to->name = text;
    if (comm.flags & XTF_WIRE_NAME_ONLY)
        return true;
    to->group = group;
    to->remote_group = remote;
    to->parent = parent;
    to->flags = comm.flags;
    return true;
}

/* Sets the members of a group, from the process that defines the group. */
static void set_members(XtfCollectTables *tables, uint32_t row, const uint8_t *numbers, uint32_t n)
{
    g_autofree XtfMemberRow *members = g_new(XtfMemberRow, n);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t number;
        memcpy(&number, numbers + 4 * (size_t)i, sizeof number);
        members[i] = (XtfMemberRow){.member = number == XTF_WIRE_NONE ? XTF_NONE64 : number, .proc = number};
    }
    xtf_collect_set_list(tables, XTF_MODEL_GROUPS, row, XTF_MODEL_MEMBERS, members, n);
}

/* Adds, once, the paradigm UPC and the group of its threads' locations, to which ranks in UPC's group refer. */
static void add_upc(XtfCollector *collector, uint32_t n)
{
    XtfCollectTables *tables = &collector->tables;
    bool *is_added = xtf_collect_own(collector, "UPC", sizeof *is_added, NULL);
    XtfParadigmRow upc = {.paradigm = LABEL_UPC, .class = 0, .name = xtf_collect_string(tables, "UPC")};
    g_autofree XtfMemberRow *members = g_new(XtfMemberRow, n);
    XtfGroupRow group;

    if (*is_added)
        return;
    *is_added = true;
    xtf_collect_add_row(tables, XTF_MODEL_PARADIGMS, &upc);
    if (n == 0) /* another process defines it */
        return;
    xtf_collect_empty_row(XTF_MODEL_GROUPS, &group);
    group.id = UPC_LOCATIONS;
    group.type = XTF_GROUP_TYPE_COMM_LOCATIONS;
    group.paradigm = LABEL_UPC;
    group.name = xtf_collect_string(tables, "");
    for (uint32_t i = 0; i < n; i++)
        members[i] = (XtfMemberRow){.member = (uint64_t)i << 32, .proc = i};
    uint32_t row = xtf_collect_add_row(tables, XTF_MODEL_GROUPS, &group);
    xtf_collect_set_list(tables, XTF_MODEL_GROUPS, row, XTF_MODEL_MEMBERS, members, n);
}

static bool define_group(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollectTables *tables = &ring->collector->tables;
    const uint8_t *numbers;
    XtfDefineGroup group;

    if (!xtf_collect_read(&data, &group, sizeof group) || !xtf_collect_read_bytes(&data, 4 * (size_t)group.n, &numbers))
        return false;
    if (id >= XTF_WIRE_NONE)
        return xtf_collect_malformed(ring, "group %" PRIu64 " cannot be defined", id);
    if (group.flags & XTF_WIRE_UPC) /* before its group, as OTF2 demands */
        add_upc(ring->collector, group.n);
    uint32_t row = xtf_collect_row(tables, XTF_MODEL_GROUPS, (uint32_t)id);
    XtfGroupRow *to = xtf_collect_change_row(tables, XTF_MODEL_GROUPS, row);
    bool known = to->count > 0;
    to->type = XTF_GROUP_TYPE_COMM_GROUP;
    to->paradigm = group.flags & XTF_WIRE_UPC ? LABEL_UPC : LABEL_MPI;
    if (group.n > 0 && !known)
        set_members(tables, row, numbers, group.n);
    return true;
}

/* Returns a dimension's id, which differs between topologies and is the same in all processes. */
static uint32_t dimension_id(uint32_t topology, uint32_t axis)
{
    uint64_t mixed = ((uint64_t)topology << 8 | axis) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(mixed >> 32);
}

static bool define_cart(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    XtfCollectTables *tables = &ring->collector->tables;
    XtfCartTopologyDimensionRow parts[UINT8_MAX];
    XtfDefineCart cart;
    bool is_new;

    if (!xtf_collect_read(&data, &cart, sizeof cart))
        return false;
    if (id >= XTF_WIRE_NONE || cart.n_dimensions > UINT8_MAX)
        return xtf_collect_malformed(ring, "topology %" PRIu64 " of %" PRIu32 " dimensions cannot be defined", id,
                                     cart.n_dimensions);
    uint32_t topology = xtf_collect_new_row(tables, XTF_MODEL_CART_TOPOLOGIES, (uint32_t)id, &is_new);
    uint32_t comm = xtf_collect_reference(ring->collector, XTF_MODEL_COMMUNICATORS, cart.comm);
    ((XtfCartTopologyRow *)xtf_collect_change_row(tables, XTF_MODEL_CART_TOPOLOGIES, topology))->comm = comm;
    for (uint32_t i = 0; i < cart.n_dimensions; i++) {
        XtfDefineDimension dimension;
        if (!xtf_collect_read(&data, &dimension, sizeof dimension))
            return false;
        uint32_t row = xtf_collect_row(tables, XTF_MODEL_CART_DIMENSIONS, dimension_id((uint32_t)id, i));
        XtfCartDimensionRow *to = xtf_collect_change_row(tables, XTF_MODEL_CART_DIMENSIONS, row);
        to->size = dimension.size;
        to->periodic = dimension.periodic != 0;
        parts[i].dimension = row;
        const XtfCartCoordinateRow coordinate = {
            .topology = topology, .rank = cart.rank, .axis = (uint8_t)i, .coordinate = dimension.coordinate};
        if (is_new)
            xtf_collect_add_row(tables, XTF_MODEL_CART_COORDINATES, &coordinate);
    }
    if (is_new)
        xtf_collect_set_list(tables, XTF_MODEL_CART_TOPOLOGIES, topology, XTF_MODEL_CART_TOPOLOGY_DIMENSIONS, parts,
                             cart.n_dimensions);
    return true;
}

/* ---- Records. */

static bool append_comm(XtfCollectRing *ring, unsigned event, uint64_t time, uint32_t comm)
{
    XtfCommsRow row = {.region = xtf_stream_region(&ring->stream),
                       .comm = xtf_collect_reference(ring->collector, XTF_MODEL_COMMUNICATORS, comm)};

    return xtf_stream_append(&ring->stream, XTF_MODEL_COMMS, event, time, &row);
}

static bool comm_create(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_comm(ring, XTF_LABEL_COMM_CREATE, time, head.arg);
}

static bool comm_destroy(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    return append_comm(ring, XTF_LABEL_COMM_DESTROY, time, head.arg);
}

static const XtfCollectKind kinds[] = {{XTF_WIRE_COMM_CREATE, comm_create}, {XTF_WIRE_COMM_DESTROY, comm_destroy}, {0}};
static const XtfCollectDefinition definitions[] = {
    {XTF_DEFINE_COMM, define_comm}, {XTF_DEFINE_GROUP, define_group}, {XTF_DEFINE_CART, define_cart}, {0}};
const XtfCollectRows xtf_collect_handles = {.kinds = kinds, .definitions = definitions};
