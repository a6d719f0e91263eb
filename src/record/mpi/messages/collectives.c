#include "src/record/mpi/messages/collectives.h"

#include <stddef.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/library/neighbors.h"
#include "src/record/mpi/messages/messages.h"

/* Roots of intercommunicators, as in the field `root` of collectives. */
#define ROOT_IS_SELF      (UINT32_MAX - 1)
#define ROOT_IN_OWN_GROUP (UINT32_MAX - 2)

static bool is_inter(MPI_Comm comm)
{
    int flag;

    return xtf_pmpi.Comm_test_inter(comm, &flag) == MPI_SUCCESS && flag;
}

static int rank_in(MPI_Comm comm)
{
    int rank;

    return xtf_pmpi.Comm_rank(comm, &rank) == MPI_SUCCESS ? rank : 0;
}

/* Returns the size of the own group. */
static uint64_t group_size_of(MPI_Comm comm)
{
    int size;

    return xtf_pmpi.Comm_size(comm, &size) == MPI_SUCCESS ? (uint64_t)size : 0;
}

/* Returns the number of processes with which a member exchanges data. */
static uint64_t partner_count(MPI_Comm comm)
{
    int size;

    if (is_inter(comm))
        return xtf_pmpi.Comm_remote_size(comm, &size) == MPI_SUCCESS ? (uint64_t)size : 0;
    return group_size_of(comm);
}

static uint64_t bytes_of(XtfMpiBlock block)
{
    return xtf_mpi_bytes(block.count, block.type);
}

static uint64_t bytes_at(const XtfMpiBlocks *blocks, uint64_t i)
{
    return blocks->counts.at ? xtf_mpi_bytes(xtf_mpi_counts_at(blocks->counts, (long long)i),
                                             blocks->types ? blocks->types[i] : blocks->type)
                             : 0;
}

/* Sums up blocks. If they have one type, MPI is asked for its size once. */
static uint64_t bytes_of_all(const XtfMpiBlocks *blocks, uint64_t n)
{
    uint64_t sum = 0;

    if (!blocks->counts.at)
        return 0;
    for (uint64_t i = 0; i < n; i++)
        sum += blocks->types ? bytes_at(blocks, i) : (uint64_t)xtf_mpi_counts_at(blocks->counts, (long long)i);
    return blocks->types ? sum : sum * xtf_mpi_bytes(1, blocks->type);
}

static XtfMpiTraffic traffic_of(MPI_Comm comm)
{
    return (XtfMpiTraffic){.comm = xtf_mpi_comm_id(comm), .root = XTF_WIRE_NONE};
}

/* Part of this process in an operation with a root. */
typedef enum { MEMBER, ROOT, ROOT_OF_OTHERS, BYSTANDER } Part;

static Part part_of(MPI_Comm comm, int root, XtfMpiTraffic *traffic)
{
    if (!is_inter(comm)) {
        traffic->root = (uint32_t)root;
        return rank_in(comm) == root ? ROOT : MEMBER;
    }
    traffic->root = root == MPI_ROOT ? ROOT_IS_SELF : root == MPI_PROC_NULL ? ROOT_IN_OWN_GROUP : (uint32_t)root;
    return root == MPI_ROOT ? ROOT_OF_OTHERS : root == MPI_PROC_NULL ? BYSTANDER : MEMBER;
}

static XtfMpiTraffic swap_directions(XtfMpiTraffic traffic)
{
    return (XtfMpiTraffic){
        .comm = traffic.comm, .root = traffic.root, .sent = traffic.received, .received = traffic.sent};
}

XtfMpiTraffic xtf_mpi_barrier(MPI_Comm comm)
{
    return traffic_of(comm);
}

/* Data that the root exchanges with each member. Only the root need have set it. */
typedef struct {
    const XtfMpiBlock *alike; /* block that is the same for each member; NULL: use `each` */
    const XtfMpiBlocks *each;
} RootBlocks;

static uint64_t bytes_of_member(const RootBlocks *blocks, int member)
{
    return blocks->alike ? bytes_of(*blocks->alike) : bytes_at(blocks->each, (uint64_t)member);
}

static uint64_t bytes_of_members(const RootBlocks *blocks, uint64_t n)
{
    return blocks->alike ? n * bytes_of(*blocks->alike) : bytes_of_all(blocks->each, n);
}

static XtfMpiTraffic traffic_to_root(MPI_Comm comm, int root, bool in_place, XtfMpiBlock own, RootBlocks at_root)
{
    XtfMpiTraffic traffic = traffic_of(comm);

    switch (part_of(comm, root, &traffic)) {
    case MEMBER:
        traffic.sent = bytes_of(own);
        break;
    case ROOT:
        traffic.sent = bytes_of_member(&at_root, root);
        traffic.received = bytes_of_members(&at_root, group_size_of(comm));
        if (in_place) {
            traffic.received -= traffic.sent;
            traffic.sent = 0;
        }
        break;
    case ROOT_OF_OTHERS:
        traffic.received = bytes_of_members(&at_root, partner_count(comm));
        break;
    case BYSTANDER:
        break;
    }
    return traffic;
}

XtfMpiTraffic xtf_mpi_to_root(MPI_Comm comm, int root, bool in_place, XtfMpiBlock own, XtfMpiBlock at_root)
{
    return traffic_to_root(comm, root, in_place, own, (RootBlocks){.alike = &at_root});
}

XtfMpiTraffic xtf_mpi_from_root(MPI_Comm comm, int root, bool in_place, XtfMpiBlock at_root, XtfMpiBlock own)
{
    return swap_directions(xtf_mpi_to_root(comm, root, in_place, own, at_root));
}

XtfMpiTraffic xtf_mpi_to_root_v(MPI_Comm comm, int root, bool in_place, XtfMpiBlock own, XtfMpiBlocks at_root)
{
    return traffic_to_root(comm, root, in_place, own, (RootBlocks){.each = &at_root});
}

XtfMpiTraffic xtf_mpi_from_root_v(MPI_Comm comm, int root, bool in_place, XtfMpiBlocks at_root, XtfMpiBlock own)
{
    return swap_directions(xtf_mpi_to_root_v(comm, root, in_place, own, at_root));
}

XtfMpiTraffic xtf_mpi_all_to_all(MPI_Comm comm, bool in_place, XtfMpiBlock sent, XtfMpiBlock received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    uint64_t n = partner_count(comm);

    traffic.received = (n - in_place) * bytes_of(received);
    traffic.sent = in_place ? traffic.received : n * bytes_of(sent);
    return traffic;
}

XtfMpiTraffic xtf_mpi_allgatherv(MPI_Comm comm, bool in_place, XtfMpiBlock sent, XtfMpiBlocks received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    uint64_t n = partner_count(comm);

    traffic.received = bytes_of_all(&received, n);
    if (in_place) {
        uint64_t own = bytes_at(&received, (uint64_t)rank_in(comm));
        traffic.received -= own;
        traffic.sent = (n - 1) * own;
    } else {
        traffic.sent = n * bytes_of(sent);
    }
    return traffic;
}

/* True if all blocks but that of the process itself have data. */
static bool are_full(const XtfMpiBlocks *blocks, uint64_t n, uint64_t self)
{
    if (!blocks->counts.at || (!blocks->types && xtf_mpi_bytes(1, blocks->type) == 0))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (i != self &&
            (xtf_mpi_counts_at(blocks->counts, (long long)i) <= 0 || (blocks->types && bytes_at(blocks, i) == 0)))
            return false;
    return true;
}

XtfMpiTraffic xtf_mpi_all_to_all_v(MPI_Comm comm, bool in_place, XtfMpiBlocks sent, XtfMpiBlocks received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    uint64_t n = partner_count(comm), self = (uint64_t)rank_in(comm);

    traffic.received = bytes_of_all(&received, n);
    if (in_place) {
        traffic.received -= bytes_at(&received, self);
        traffic.sent = traffic.received;
    } else {
        traffic.sent = bytes_of_all(&sent, n);
    }
    if (!is_inter(comm))
        traffic.exchange = are_full(&received, n, self) && (in_place || are_full(&sent, n, self))
                               ? XTF_WIRE_EXCHANGE_N_TO_N
                               : XTF_WIRE_EXCHANGE_SPARSE;
    return traffic;
}

XtfMpiTraffic xtf_mpi_reduce_scatter_block(MPI_Comm comm, bool in_place, XtfMpiBlock received)
{
    XtfMpiTraffic traffic = traffic_of(comm);

    traffic.sent = traffic.received = (group_size_of(comm) - in_place) * bytes_of(received);
    return traffic;
}

XtfMpiTraffic xtf_mpi_reduce_scatter(MPI_Comm comm, bool in_place, XtfMpiBlocks received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    uint64_t own = bytes_at(&received, (uint64_t)rank_in(comm));

    traffic.sent = bytes_of_all(&received, group_size_of(comm)) - (in_place ? own : 0);
    traffic.received = (partner_count(comm) - in_place) * own;
    return traffic;
}

XtfMpiTraffic xtf_mpi_scan(MPI_Comm comm, bool in_place, XtfMpiBlock block)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    uint64_t rank = (uint64_t)rank_in(comm), bytes = bytes_of(block);

    traffic.sent = (group_size_of(comm) - rank - in_place) * bytes;
    traffic.received = (rank + 1 - in_place) * bytes;
    return traffic;
}

XtfMpiTraffic xtf_mpi_neighbors(MPI_Comm comm, XtfMpiBlock sent, XtfMpiBlock received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    XtfMpiNeighbors neighbors = xtf_mpi_neighbors_of(comm);

    traffic.sent = neighbors.n_destinations * bytes_of(sent);
    traffic.received = neighbors.n_sources * bytes_of(received);
    return traffic;
}

/* Sums up the blocks of neighbours that are processes. A border of a grid has empty places. */
static uint64_t bytes_of_neighbors(const XtfMpiBlocks *blocks, uint32_t places, uint64_t absent)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < places; i++)
        if (i >= 64 || !(absent >> i & 1))
            sum += bytes_at(blocks, i);
    return sum;
}

XtfMpiTraffic xtf_mpi_neighbors_gather_v(MPI_Comm comm, XtfMpiBlock sent, XtfMpiBlocks received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    XtfMpiNeighbors neighbors = xtf_mpi_neighbors_of(comm);

    traffic.sent = neighbors.n_destinations * bytes_of(sent);
    traffic.received = bytes_of_neighbors(&received, neighbors.source_places, neighbors.absent);
    return traffic;
}

XtfMpiTraffic xtf_mpi_neighbors_v(MPI_Comm comm, XtfMpiBlocks sent, XtfMpiBlocks received)
{
    XtfMpiTraffic traffic = traffic_of(comm);
    XtfMpiNeighbors neighbors = xtf_mpi_neighbors_of(comm);

    traffic.sent = bytes_of_neighbors(&sent, neighbors.destination_places, neighbors.absent);
    traffic.received = bytes_of_neighbors(&received, neighbors.source_places, neighbors.absent);
    return traffic;
}

void xtf_mpi_collective(XtfRing *ring, uint64_t left, unsigned operation, XtfMpiTraffic traffic)
{
    xtf_core_record(ring, left, XTF_WIRE_COLLECTIVE_END, operation, traffic.root,
                    xtf_core_pair(traffic.comm, traffic.exchange), traffic.sent, traffic.received);
}

static void add_request(unsigned operation, const XtfMpiTraffic *traffic, MPI_Request request, uint64_t id,
                        unsigned flags)
{
    xtf_mpi_requests_add(&(XtfMpiRequest){
        .handle = XTF_MPI_HANDLE(request),
        .kind = XTF_MPI_REQUEST_COLLECTIVE,
        .flags = (uint8_t)flags,
        .detail = (uint16_t)operation,
        .id = id,
        .comm = traffic->comm,
        .peer = traffic->root,
        .tag = traffic->exchange,
        .bytes = traffic->sent,
        .received = traffic->received,
    });
}

void xtf_mpi_icollective(XtfRing *ring, uint64_t entered, unsigned operation, XtfMpiTraffic traffic,
                         MPI_Request request)
{
    uint64_t id = xtf_mpi_requests_ids(1);

    xtf_core_record(ring, entered, XTF_WIRE_ICOLLECTIVE_REQUEST, 0, traffic.comm, id);
    add_request(operation, &traffic, request, id, 0);
}

void xtf_mpi_collective_init(unsigned operation, XtfMpiTraffic traffic, MPI_Request request)
{
    add_request(operation, &traffic, request, 0, XTF_MPI_REQUEST_PERSISTENT);
}
