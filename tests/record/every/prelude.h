/* Code around the calls of every.py. It calls only PMPI functions, which the recorder does not see. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SELF MPI_COMM_SELF
static int world_rank, done, key, position, error_class;
static char a[65536], b[65536], text[16384], port[MPI_MAX_PORT_NAME], path[4096], program[4096];
static MPI_Request s, r, both[2];
static MPI_Status st;
static MPI_Message message;
static MPI_Comm cart, graph, dist, inter, made;
static MPI_Group group, other_group;
static MPI_Win win, w;
static MPI_File file, f;
static MPI_Info info;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Errhandler handler;
static void *memory;

/* Names, numbers of calls and results of the called functions. */
static struct {
    const char *name;
    int n, result;
} called[1024];

static void note_call(const char *name, int result)
{
    for (int i = 0; i < 1024; i++)
        if (!called[i].name || strcmp(called[i].name, name) == 0) {
            called[i].name = name;
            called[i].n++;
            called[i].result |= result;
            return;
        }
}

static void on_error(void *handle, int *code, ...)
{
}
static int query_status(void *state, MPI_Status *status)
{
    PMPI_Status_set_elements(status, MPI_INT, 0);
    return PMPI_Status_set_cancelled(status, 0);
}
static int release_state(void *state)
{
    return MPI_SUCCESS;
}
static int cancel_request(void *state, int complete)
{
    return MPI_SUCCESS;
}
static void user_op(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
}
static int extent(MPI_Datatype datatype, MPI_Aint *size, void *state)
{
    *size = 4;
    return MPI_SUCCESS;
}
#if MPI_VERSION >= 4
static void user_op_c(void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype)
{
}
#endif

static void post_receive(void)
{
    PMPI_Irecv(b, 1, MPI_INT, 0, 7, SELF, &r);
}
static void finish_receive(void)
{
    PMPI_Wait(&r, MPI_STATUS_IGNORE);
}
static void post_send(void)
{
    PMPI_Isend(a, 1, MPI_INT, 0, 7, SELF, &s);
}
static void finish_send(void)
{
    PMPI_Wait(&s, MPI_STATUS_IGNORE);
}
static void start_both(void)
{
    PMPI_Irecv(b, 1, MPI_INT, 0, 7, SELF, &both[0]);
    PMPI_Isend(a, 1, MPI_INT, 0, 7, SELF, &both[1]);
}
static void end_both(void)
{
    PMPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void persistent_both(void)
{
    PMPI_Recv_init(b, 1, MPI_INT, 0, 7, SELF, &both[0]);
    PMPI_Send_init(a, 1, MPI_INT, 0, 7, SELF, &both[1]);
}
static void free_both(void)
{
    end_both();
    PMPI_Request_free(&both[0]);
    PMPI_Request_free(&both[1]);
}

/* Returns a socket that is connected to the other process. */
static int connected(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0), server = fd, number = 0;

    if (!world_rank) {
        bind(server, (void *)&address, size);
        listen(server, 1);
        getsockname(server, (void *)&address, &size);
        number = address.sin_port;
    }
    PMPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!world_rank) {
        fd = accept(server, NULL, NULL);
        close(server);
    } else {
        address.sin_port = (in_port_t)number;
        connect(fd, (void *)&address, size);
    }
    return fd;
}

static void prepare_handles(const char *folder)
{
    int one = 1, zero = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    PMPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    snprintf(path, sizeof path, "%s/file-%d", folder, world_rank);
    FILE *made_file = fopen(path, "w"); /* so that reads do not reach the file's end */
    fwrite(a, 1, sizeof a, made_file);
    fclose(made_file);
    PMPI_Cart_create(SELF, 1, &one, &one, 0, &cart);
    PMPI_Graph_create(SELF, 1, (int[]){1}, (int[]){0}, 0, &graph);
    PMPI_Dist_graph_create_adjacent(SELF, 1, &zero, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
    PMPI_Intercomm_create(SELF, 0, MPI_COMM_WORLD, 1 - world_rank, 1, &inter);
    PMPI_Comm_group(SELF, &group);
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "key", "value");
    PMPI_Type_contiguous(2, MPI_INT, &type);
    PMPI_Type_commit(&type);
}
