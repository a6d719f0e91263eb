/*
 * A library between the recorder and MPI that counts calls of each function. It counts messages and bytes to and from
 * each process, and one-sided operations and their bytes by target. It also counts bytes of collective operations and
 * of files. It uses plain arrays, and shares no code with the recorder. At the end each process writes its counts to
 * SHIM_FOLDER/counted-RANK:
 *
 *     call MPI_Send 5
 *     sent 1 5 20            to process 1: messages, bytes
 *     received 1 5 20
 *     put 1 2 16             to process 1: operations, bytes; also get, atomic
 *     collective 12 12       bytes sent and received
 *     read 80 40             of files: bytes requested, bytes moved; also write
 *
 * shim.py makes the functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 64, REQUESTS = 4096 };

typedef struct {
    long long n, bytes, back;
} Count;
static long long calls[1024];
static Count sent_to[PROCESSES], received_from[PROCESSES], collective;
enum { PUT, GET, ATOMIC, ACCESSES };
static const char *const accesses[] = {"put", "get", "atomic"};
static Count accessed_at[ACCESSES][PROCESSES];
enum { READ, WRITE, MODES };
static const char *const modes[] = {"read", "write"};
static Count file_bytes[MODES]; /* bytes requested; back: bytes moved */
static __thread int depth;
static MPI_Status own_status, own_statuses[REQUESTS];

/* A request that is not complete. */
typedef enum { NOTHING, SEND, RECEIVE, EXCHANGE, COLLECTIVE, OTHER, FILE_READ, FILE_WRITE } What;
typedef struct {
    What kind;
    int persistent, active, to;
    MPI_Request request;
    MPI_Comm comm;
    long long sent, received;
} Pending;
static Pending pending[REQUESTS];

/* Returns true if code is the named routine of a Fortran library, which calls PMPI_X where a C program calls MPI_X.
 * These libraries call other functions for their own purposes. */
static int is_routine(const char *name, const void *code)
{
    Dl_info info;
    size_t n = strlen(name);

    if (!dladdr(code, &info) || !info.dli_fname || !info.dli_sname)
        return 0;
    if (!strstr(info.dli_fname, "/libmpi_mpifh") && !strstr(info.dli_fname, "/libmpi_usempif08") &&
        !strstr(info.dli_fname, "/libmpichfort"))
        return 0;
    for (const char *at = strcasestr(info.dli_sname, name); at; at = strcasestr(at + 1, name))
        if (at > info.dli_sname && at[-1] == '_' && (at[n] == '_' || at[n] == 0))
            return 1;
    return 0;
}

static void called(int number)
{
    calls[number]++;
}

/* Returns the process that has a rank in a group, or -1. Frees the group. */
static int process_in(MPI_Group group, int rank)
{
    MPI_Group world;
    int process;

    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &process);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return process >= 0 && process < PROCESSES ? process : -1;
}

/* Returns the process that has a rank in a communicator, or -1. */
static int process_of(MPI_Comm comm, int rank)
{
    MPI_Group group;
    int inter;

    if (rank < 0)
        return -1;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    return process_in(group, rank);
}

static long long bytes(long long n, MPI_Datatype type)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(type, &size);
    return n * size;
}

static void sent(MPI_Comm comm, int to, long long size)
{
    int process = process_of(comm, to);

    if (process >= 0) {
        sent_to[process].n++;
        sent_to[process].bytes += size;
    }
}

static void count_received(MPI_Comm comm, int from, long long size)
{
    int process = process_of(comm, from);

    if (process >= 0) {
        received_from[process].n++;
        received_from[process].bytes += size;
    }
}

static void received(MPI_Comm comm, MPI_Status *status)
{
    int n = 0;

    PMPI_Get_count(status, MPI_BYTE, &n);
    count_received(comm, status->MPI_SOURCE, n);
}

static void accessed(int kind, MPI_Win win, int target, long long size)
{
    MPI_Group group;

    if (target < 0)
        return;
    PMPI_Win_get_group(win, &group);
    int process = process_in(group, target);
    if (process >= 0) {
        accessed_at[kind][process].n++;
        accessed_at[kind][process].bytes += size;
    }
}

static void moved(int mode, MPI_Status *status)
{
    int n = 0;

    PMPI_Get_count(status, MPI_BYTE, &n);
    file_bytes[mode].back += n;
}

static Pending *add_pending(What kind, MPI_Request request, MPI_Comm comm, int persistent)
{
    for (Pending *place = pending; place < pending + REQUESTS; place++)
        if (place->kind == NOTHING) {
            *place = (Pending){
                .kind = kind, .request = request, .comm = comm, .persistent = persistent, .active = !persistent};
            return place;
        }
    abort();
}

/* MPICH gives a status of rank 0 for a receive from MPI_PROC_NULL. */
#define FROM(source) ((source) == MPI_PROC_NULL ? OTHER : RECEIVE)

static void add_send(MPI_Request request, MPI_Comm comm, int to, long long size)
{
    Pending *made = add_pending(SEND, request, comm, 1);

    made->to = to;
    made->sent = size;
}

/* Adds an exchange. MPICH sets no status of MPI_Isendrecv: the message counts with the size of the buffer. */
static void add_exchange(MPI_Request request, MPI_Comm comm, int from, long long room)
{
#ifdef OPEN_MPI
    add_pending(FROM(from), request, comm, 0);
#else
    Pending *made = add_pending(EXCHANGE, request, comm, 0);

    made->to = from;
    made->received = room;
#endif
}

static void add_collective(MPI_Request request, int persistent, Count size)
{
    Pending *made = add_pending(COLLECTIVE, request, MPI_COMM_NULL, persistent);

    made->sent = size.bytes;
    made->received = size.back;
}

/* True unless request i of several requests failed. */
#define FINE(i) (result == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS)

/* Finds a request. MPICH gives one handle to all requests that complete at once; the oldest of them serves as well
 * as any. */
static Pending *find_pending(MPI_Request request, int active)
{
    for (Pending *place = pending; place < pending + REQUESTS; place++)
        if (place->kind != NOTHING && place->request == request && place->active == active)
            return place;
    return NULL;
}

static void started(MPI_Request request)
{
    Pending *place = find_pending(request, 0);

    if (!place)
        return;
    place->active = 1;
    if (place->kind == SEND)
        sent(place->comm, place->to, place->sent);
}

static void collected(Count size)
{
    collective.bytes += size.bytes;
    collective.back += size.back;
}

static void completed(MPI_Request old, MPI_Status *status)
{
    Pending *place = old == MPI_REQUEST_NULL ? NULL : find_pending(old, 1);
    int cancelled = 0;

    if (!place)
        return;
    if (place->kind == RECEIVE) {
        PMPI_Test_cancelled(status, &cancelled);
        if (!cancelled)
            received(place->comm, status);
    } else if (place->kind == EXCHANGE) {
        count_received(place->comm, place->to, place->received);
    } else if (place->kind == COLLECTIVE) {
        collected((Count){1, place->sent, place->received});
    } else if (place->kind == FILE_READ || place->kind == FILE_WRITE) {
        moved(place->kind == FILE_READ ? READ : WRITE, status);
    }
    place->active = 0;
    if (!place->persistent)
        place->kind = NOTHING;
}

static void remove_pending(MPI_Request old)
{
    Pending *place = find_pending(old, 1);

    if (!place)
        place = find_pending(old, 0);
    if (place)
        place->kind = NOTHING;
}

/* Messages that matched probes have found, with their communicators. */
static struct {
    MPI_Message message;
    MPI_Comm comm;
} matched[REQUESTS];

static void note_matched(MPI_Message message, MPI_Comm comm)
{
    int i = 0;

    while (matched[i].comm != 0)
        i++;
    matched[i].message = message;
    matched[i].comm = comm;
}

static MPI_Comm comm_of(MPI_Message message)
{
    for (int i = 0; i < REQUESTS; i++)
        if (matched[i].comm != 0 && matched[i].message == message) {
            MPI_Comm comm = matched[i].comm;
            matched[i].comm = 0;
            return comm;
        }
    return MPI_COMM_SELF;
}

/* ---- Collective operations from one member's view. */

typedef struct {
    int n, local, me, inter, root, member; /* n: number of partners */
    int sources, destinations;             /* numbers of neighbours */
    int absent[64], n_absent;              /* 1 for each missing neighbour at the border of a grid */
} Place;

static Place place_of(MPI_Comm comm, int root)
{
    Place place = {0};
    int topology, weighted, dimensions;

    PMPI_Comm_size(comm, &place.local);
    PMPI_Comm_rank(comm, &place.me);
    PMPI_Comm_test_inter(comm, &place.inter);
    place.n = place.local;
    if (place.inter)
        PMPI_Comm_remote_size(comm, &place.n);
    place.root = place.inter ? root == MPI_ROOT : root == place.me;
    place.member = place.inter ? root >= 0 : 1;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &place.sources, &place.destinations, &weighted);
    } else if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &dimensions);
        place.sources = place.destinations = 2 * dimensions;
        for (int d = 0; d < dimensions; d++) {
            int before, behind;
            PMPI_Cart_shift(comm, d, 1, &before, &behind);
            place.absent[2 * d] = before == MPI_PROC_NULL;
            place.absent[2 * d + 1] = behind == MPI_PROC_NULL;
            place.n_absent += place.absent[2 * d] + place.absent[2 * d + 1];
        }
    } else if (topology == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, place.me, &place.sources);
        place.destinations = place.sources;
    }
    return place;
}

#define IS(k) ((k) >= 64 || !p.absent[k])
#define SUM(counts, type, n)                           \
    ({                                                 \
        long long sum = 0;                             \
        for (int k = 0; k < (n); k++)                  \
            sum += IS(k) ? (long long)(counts)[k] : 0; \
        bytes(sum, type);                              \
    })
#define SUM_W(counts, types, n)                                           \
    ({                                                                    \
        long long sum = 0;                                                \
        for (int k = 0; k < (n); k++)                                     \
            sum += IS(k) ? bytes((long long)(counts)[k], (types)[k]) : 0; \
        sum;                                                              \
    })

static void write_counts(const char *const *names, int n)
{
    const char *folder = getenv("SHIM_FOLDER");
    char path[4096];
    int rank;
    FILE *file;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/counted-%d", folder ? folder : ".", rank);
    file = fopen(path, "w");
    if (!file)
        return;
    for (int i = 0; i < n; i++)
        if (calls[i])
            fprintf(file, "call %s %lld\n", names[i], calls[i]);
    for (int i = 0; i < PROCESSES; i++) {
        if (sent_to[i].n)
            fprintf(file, "sent %d %lld %lld\n", i, sent_to[i].n, sent_to[i].bytes);
        if (received_from[i].n)
            fprintf(file, "received %d %lld %lld\n", i, received_from[i].n, received_from[i].bytes);
    }
    for (int kind = 0; kind < ACCESSES; kind++)
        for (int i = 0; i < PROCESSES; i++)
            if (accessed_at[kind][i].n)
                fprintf(file, "%s %d %lld %lld\n", accesses[kind], i, accessed_at[kind][i].n,
                        accessed_at[kind][i].bytes);
    for (int mode = 0; mode < MODES; mode++)
        fprintf(file, "%s %lld %lld\n", modes[mode], file_bytes[mode].bytes, file_bytes[mode].back);
    fprintf(file, "collective %lld %lld\n", collective.bytes, collective.back);
    fclose(file);
}
