#include "src/record/mpi/comms/clocks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/base/fnv.h"
#include "src/record/mpi/comms/partial.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/wrapper.h"

enum {
    WARM_UP = 20,    /* first exchanges, which are slower and do not count */
    EXCHANGES = 120, /* most exchanges of a reading */
    LEAST = 30,      /* exchanges that a reading makes even if it takes longer than LONGEST_NS */
    LONGEST_NS = 50 * 1000 * 1000,
    TAG = 1,
    QUESTION = -1, /* a message of the reader; other values end the reading */
    NO_READING = EXCHANGES,
};

bool xtf_mpi_clocks_counts;

/* State of a process that takes part. */
static struct {
    MPI_Comm leaders;    /* the lowest rank of each node, in the order of ranks; valid if n > 0 */
    int rank, n;         /* n 0: the process takes no part */
    uint32_t *processes; /* by rank in `leaders`: number in the job */
    uint64_t next_id;    /* id of the next readings, the same in all processes that take part */
    /* --sync-every: */
    uint64_t period_ns;
    _Atomic uint64_t n_collectives;   /* operations so far */
    uint64_t next_check;              /* number of the operation behind which the processes agree next */
    uint64_t last_read, last_read_ns; /* number of operations at the last readings, and time of CLOCK_MONOTONIC */
} nodes;

/* ---- The nodes. */

/* Returns a number of the node: a hash of the host's name and of the number that the kernel takes at its start. So
 * containers of one machine are different nodes, whose collectors measure its clock apart. */
static uint64_t hash_node(void)
{
    char name[300] = "", boot[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (file >= 0) {
        if (read(file, boot, sizeof boot - 1) < 0)
            boot[0] = 0;
        close(file);
    }
    if (gethostname(name, 256) != 0)
        name[0] = 0;
    name[255] = 0;
    return xtf_fnv64(xtf_fnv64(XTF_FNV64, name), boot);
}

/* True if the launcher says that all processes are on one node. Then nothing waits for processes without recorder. */
static bool is_known_to_be_one_node(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *n = getenv(variables[i]);
        if (n && strtoul(n, NULL, 10) == xtf_mpi_world.size)
            return true;
    }
    return false;
}

/* True if the processes are on several nodes, and all of them have the memory to read clocks. */
static bool has_several_nodes(uint64_t node, bool has_memory)
{
    uint64_t values[] = {node, ~node, has_memory}, least[3];

    return XTF_PMPI(Allreduce)(values, least, 3, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS && least[2] &&
           least[0] != ~least[1];
}

/* Makes the communicator of the lowest ranks. */
static bool make_leaders(const uint64_t *ids, uint64_t node)
{
    uint32_t number = xtf_mpi_world.base + xtf_mpi_world.rank, lowest = 0;

    while (ids[lowest] != node)
        lowest++;
    bool leads = lowest == xtf_mpi_world.rank;
    if (XTF_PMPI(Comm_split)(MPI_COMM_WORLD, leads ? 0 : MPI_UNDEFINED, (int)xtf_mpi_world.rank, &nodes.leaders) !=
            MPI_SUCCESS ||
        !leads)
        return false;
    XTF_PMPI(Comm_set_errhandler)(nodes.leaders, MPI_ERRORS_RETURN);
    if (XTF_PMPI(Comm_rank)(nodes.leaders, &nodes.rank) != MPI_SUCCESS ||
        XTF_PMPI(Comm_size)(nodes.leaders, &nodes.n) != MPI_SUCCESS)
        return false;
    nodes.processes = calloc((size_t)nodes.n, sizeof *nodes.processes);
    return nodes.processes && XTF_PMPI(Allgather)(&number, 1, MPI_UINT32_T, nodes.processes, 1, MPI_UINT32_T,
                                                  nodes.leaders) == MPI_SUCCESS;
}

static void define_node(XtfRing *ring, uint64_t node)
{
    if (xtf_mpi_ring(ring))
        xtf_core_define(xtf_mpi_ring(ring), XTF_DEFINE_CLOCK_NODE, node, NULL, 0);
}

/* Takes the ids of readings and the period from rank 0. */
static void agree_on_options(void)
{
    uint64_t shared[] = {xtf_clock_ns(CLOCK_REALTIME), xtf_core_milliseconds("SYNC_EVERY") * 1000000};

    XTF_PMPI(Bcast)(shared, 2, MPI_UINT64_T, 0, nodes.leaders);
    nodes.next_id = shared[0];
    nodes.period_ns = shared[1];
    nodes.next_check = 1;
    xtf_mpi_clocks_counts = nodes.period_ns > 0;
}

/* ---- Readings. */

static void define_reading(XtfRing *ring, XtfWireClockPoint point, int partner, uint64_t time, uint64_t round_trip,
                           bool is_reference)
{
    const XtfDefineClockReading reading = {.time = time,
                                           .round_trip = round_trip,
                                           .partner = nodes.processes[partner],
                                           .is_reference = is_reference,
                                           .point = point};

    if (ring)
        xtf_core_define(ring, XTF_DEFINE_CLOCK_READING, nodes.next_id, &reading, sizeof reading);
}

/* Makes one exchange with the reference. */
static bool exchange(int reference, uint64_t *asked, uint64_t *answered)
{
    int message = QUESTION;

    *asked = xtf_core_now();
    if (XTF_PMPI(Send)(&message, 1, MPI_INT, reference, TAG, nodes.leaders) != MPI_SUCCESS ||
        XTF_PMPI(Recv)(&message, 1, MPI_INT, reference, TAG, nodes.leaders, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return false;
    *answered = xtf_core_now();
    return true;
}

/* Reads the clock of the reference: the exchange with the least round trip. */
static void read_reference(XtfRing *ring, XtfWireClockPoint point, int reference)
{
    uint64_t begin = xtf_monotonic_ns(), least = UINT64_MAX, middle = 0, asked, answered;
    int best = NO_READING;

    for (int i = 0; i < EXCHANGES && (i < LEAST || xtf_monotonic_ns() - begin < LONGEST_NS); i++) {
        if (!exchange(reference, &asked, &answered))
            return;
        if (i >= WARM_UP && answered >= asked && answered - asked < least) {
            least = answered - asked;
            middle = asked + least / 2;
            best = i;
        }
    }
    XTF_PMPI(Send)(&best, 1, MPI_INT, reference, TAG, nodes.leaders);
    if (best != NO_READING)
        define_reading(ring, point, reference, middle, least, false);
}

/* Answers the questions of a reader. */
static void answer_reader(XtfRing *ring, XtfWireClockPoint point, int reader)
{
    uint64_t times[EXCHANGES + 1];
    int message;

    for (int i = 0;; i++) {
        if (XTF_PMPI(Recv)(&message, 1, MPI_INT, reader, TAG, nodes.leaders, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        if (message != QUESTION || i == EXCHANGES)
            break;
        times[i] = xtf_core_now();
        if (XTF_PMPI(Send)(&message, 1, MPI_INT, reader, TAG, nodes.leaders) != MPI_SUCCESS)
            return;
    }
    if (message >= 0 && message < NO_READING)
        define_reading(ring, point, reader, times[message], 0, true);
}

/* Reads the clocks of all nodes, by rounds of the tree. In round k the nodes from 2^k on read a node below 2^k. */
static void read_tree(XtfRing *ring, XtfWireClockPoint point)
{
    for (int half = 1; half < nodes.n; half *= 2) {
        if (nodes.rank < half && nodes.rank + half < nodes.n)
            answer_reader(ring, point, nodes.rank + half);
        else if (nodes.rank >= half && nodes.rank < 2 * half)
            read_reference(ring, point, nodes.rank - half);
    }
    nodes.next_id++;
}

/* Reads the clocks, and records the time that this takes as the recorder's own. */
static void read_clocks(XtfRing *ring, XtfWireClockPoint point)
{
    uint64_t begin = xtf_core_now();

    read_tree(xtf_mpi_ring(ring), point);
    nodes.last_read = nodes.n_collectives;
    nodes.last_read_ns = xtf_monotonic_ns();
    if (!ring)
        return;
    uint64_t end = xtf_core_now();
    xtf_core_enter_at(ring, begin, XTF_WIRE_REGION_CLOCKS, 0);
    xtf_core_record(ring, begin, XTF_WIRE_WAITED, 1, 0, end);
    xtf_core_leave_at(ring, end, XTF_WIRE_REGION_CLOCKS);
}

/* Reads the clocks after all nodes have arrived. The time until the last one arrives is time of the call of MPI. */
static void read_together(XtfRing *ring, XtfWireClockPoint point)
{
    if (XTF_PMPI(Barrier)(nodes.leaders) == MPI_SUCCESS)
        read_clocks(ring, point);
}

/* Reads the clocks outside of a recorded call. */
static void read_outside(XtfWireClockPoint point)
{
    uint32_t busy = xtf_core_thread.busy;
    XtfRing *ring = xtf_core_begin();

    xtf_mpi_wrapper.frame = NULL;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    read_clocks(ring, point);
    xtf_core_thread.busy = busy;
}

/* ---- When to read. */

void xtf_mpi_clocks_begin(XtfRing *ring)
{
    const char *sync = xtf_core_option("CLOCK_SYNC");
    bool is_spawned = xtf_mpi_world.number > 0;

    if (xtf_mpi_world.size < 2 || xtf_mpi_is_partial || (sync && strcmp(sync, "off") == 0) ||
        (!is_spawned && is_known_to_be_one_node()))
        return;
    const uint64_t node = hash_node();
    if (is_spawned) { /* a node of the first world may be the same one */
        define_node(ring, node);
        return;
    }
    uint64_t *ids = malloc(xtf_mpi_world.size * sizeof *ids);
    if (has_several_nodes(node, ids) &&
        XTF_PMPI(Allgather)(&node, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, MPI_COMM_WORLD) == MPI_SUCCESS) {
        define_node(ring, node);
        if (make_leaders(ids, node)) {
            agree_on_options();
            read_together(ring, XTF_WIRE_CLOCK_INIT);
        } else {
            nodes.n = 0;
        }
    }
    free(ids);
}

bool xtf_mpi_clocks_end(XtfRing *ring)
{
    if (nodes.n == 0)
        return false;
    read_together(ring, XTF_WIRE_CLOCK_FINALIZE);
    XTF_PMPI(Comm_free)(&nodes.leaders);
    xtf_mpi_clocks_counts = false;
    nodes.n = 0;
    return true;
}

void xtf_mpi_clocks_end_unrecorded(void)
{
    uint32_t busy = xtf_core_thread.busy;

    if (busy == XTF_CORE_BUSY) /* a call that MPI itself makes */
        return;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    xtf_mpi_clocks_end(NULL);
    xtf_core_thread.busy = busy;
}

void xtf_mpi_clocks_ask(void)
{
    if (nodes.n > 0 && xtf_core_thread.busy != XTF_CORE_BUSY)
        read_outside(XTF_WIRE_CLOCK_PCONTROL);
}

/* Decides in rank 0 if the clocks are read now, and sends the decision to all. Otherwise sets the number of the next
 * operation behind which rank 0 decides. Half of the operations lie before it that the rest of the period has at their
 * present rate. It is at most twice as far from the last readings as this one, so a period has few decisions. */
static bool is_due(uint64_t n)
{
    uint64_t since = n - nodes.last_read, elapsed = xtf_monotonic_ns() - nodes.last_read_ns, step = 1;

    if (elapsed < nodes.period_ns && elapsed > 0)
        step = (uint64_t)((unsigned __int128)since * (nodes.period_ns - elapsed) / elapsed / 2);
    uint64_t decision[] = {elapsed >= nodes.period_ns, step < 1 ? 1 : step < since ? step : since};
    XTF_PMPI(Bcast)(decision, 2, MPI_UINT64_T, 0, nodes.leaders);
    nodes.next_check = n + decision[1];
    return decision[0];
}

void xtf_mpi_clocks_count(MPI_Comm comm)
{
    uint32_t busy = xtf_core_thread.busy;

    if (comm != MPI_COMM_WORLD || nodes.n == 0 || busy == XTF_CORE_BUSY)
        return;
    uint64_t n = ++nodes.n_collectives;
    if (n != nodes.next_check)
        return;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    bool due = is_due(n);
    xtf_core_thread.busy = busy;
    if (due) {
        nodes.next_check = n + 1;
        read_outside(XTF_WIRE_CLOCK_COLLECTIVE);
    }
}
