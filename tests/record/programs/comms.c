/*
 * Communicators of all kinds, for 4 processes; with another number of processes, very many duplicates, one after the
 * other. Each process writes the file NAME.RANK in the current folder. It has a line for each of the process's
 * communicators: its name, the own rank, and the members' ranks in MPI_COMM_WORLD. After a bar follow the members of
 * the other group. In each communicator, a message goes from each rank to the next one.
 *
 * usage: comms NAME
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 1000 };

static FILE *out;
static MPI_Group world;
static int world_rank;

static void print_group(MPI_Group group)
{
    int n, *ranks, *in_world;

    MPI_Group_size(group, &n);
    ranks = malloc(2 * n * sizeof *ranks);
    in_world = ranks + n;
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, n, ranks, world, in_world);
    for (int i = 0; i < n; i++)
        fprintf(out, " %d", in_world[i]);
    free(ranks);
    MPI_Group_free(&group);
}

/* Names a communicator, prints its line, and sends a message around. */
static void use_comm(MPI_Comm comm, const char *name)
{
    MPI_Group group;
    int between, rank, size, in, tag = 7;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_name(comm, name);
    MPI_Comm_test_inter(comm, &between);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fprintf(out, "%s %d", name, rank);
    MPI_Comm_group(comm, &group);
    print_group(group);
    if (between) {
        fprintf(out, " |");
        MPI_Comm_remote_group(comm, &group);
        print_group(group);
        MPI_Sendrecv(&rank, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size, tag, comm,
                     MPI_STATUS_IGNORE);
    }
    fprintf(out, "\n");
}

static void use_and_free(MPI_Comm comm, const char *name)
{
    use_comm(comm, name);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void many(void)
{
    MPI_Comm comm;

    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
}

static void duplicates(void)
{
    MPI_Comm comm, self;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_and_free(comm, "dup");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use_and_free(comm, "dup-info");
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 7, NULL, 0, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    use_and_free(self, "self");
    /* Rank 1 does not record meanwhile, but the other processes depend on it. */
    if (world_rank == 1)
        MPI_Pcontrol(0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (world_rank == 1)
        MPI_Pcontrol(1);
    use_and_free(comm, "while-off");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_comm(comm, "never-freed");
}

/* Makes communicators by MPI_Comm_idup, which members complete in different orders. */
static void in_the_background(void)
{
    MPI_Comm a, b;
    MPI_Request requests[2];

    MPI_Comm_idup(MPI_COMM_WORLD, &a, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &b, &requests[1]);
    MPI_Wait(&requests[world_rank % 2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1 - world_rank % 2], MPI_STATUS_IGNORE);
    use_and_free(a, "idup-a");
    use_and_free(b, "idup-b");
}

static void parts(void)
{
    int first_members[] = {2, 0}, second_members[] = {1, 3};
    MPI_Group group;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm);
    use_and_free(comm, world_rank % 2 ? "odd" : "even");
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    use_and_free(comm, "rest");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use_comm(comm, "shared");
    MPI_Comm_disconnect(&comm);
    MPI_Group_incl(world, 2, first_members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    use_and_free(comm, "create");
    MPI_Group_free(&group);
    MPI_Group_incl(world, 2, second_members, &group);
    if (world_rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
        use_and_free(comm, "create-group");
    }
    MPI_Group_free(&group);
}

static void topologies(void)
{
    int sizes[] = {2, 2}, periods[] = {1, 0}, keep[] = {0, 1}, place[2];
    int index[] = {2, 4, 6, 8}, edges[] = {1, 3, 0, 2, 1, 3, 0, 2}, before = (world_rank + 3) % 4,
        next = (world_rank + 1) % 4;
    char name[16];
    MPI_Comm cart, comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart);
    MPI_Cart_coords(cart, world_rank, 2, place);
    fprintf(out, "coordinates %d %d\n", place[0], place[1]);
    use_comm(cart, "cart");
    MPI_Cart_sub(cart, keep, &comm);
    snprintf(name, sizeof name, "row-%d", place[0]);
    use_and_free(comm, name);
    MPI_Comm_free(&cart);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
    use_and_free(comm, "graph");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &comm);
    use_and_free(comm, "dist-graph");
}

static void between(void)
{
    MPI_Comm half, inter, duplicate, one;
    MPI_Request request;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, 0, &half);
    use_comm(half, world_rank / 2 ? "right" : "left");
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank / 2 ? 0 : 2, 5, &inter);
    use_comm(inter, "both");
    MPI_Comm_dup(inter, &duplicate);
    use_and_free(duplicate, "both-dup");
    MPI_Comm_idup(inter, &duplicate, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(duplicate, &one);
    use_and_free(one, "both-idup-dup");
    MPI_Comm_free(&duplicate);
    MPI_Intercomm_merge(inter, world_rank / 2 == 0, &one);
    use_and_free(one, "merged");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    char name[256];
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    snprintf(name, sizeof name, "%s.%d", argv[1], world_rank);
    out = fopen(name, "w");
    if (!out)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 4) {
        duplicates();
        in_the_background();
        parts();
        topologies();
        between();
    } else {
        many();
    }
    MPI_Group_free(&world);
    fclose(out);
    MPI_Finalize();
    return 0;
}
