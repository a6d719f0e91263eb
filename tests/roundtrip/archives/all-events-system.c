/* Definitions of machines, processes, locations, communicators and topologies. */
#include "all-events.h"

/* Defines a machine with a node for every two processes, and cores below the nodes. */
static void define_nodes(Archive *archive)
{
    OTF2_StringRef key = archive_string(archive, "system property");

    DEFINE(SystemTreeNode, 0, archive_string(archive, "cluster"), archive_string(archive, "machine"),
           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(SystemTreeNodeDomain, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t i = 1; i <= N_PROCESSES / 2; i++) {
        g_autofree char *name = g_strdup_printf("node%02u", i);
        DEFINE(SystemTreeNode, i, archive_string(archive, name), archive_string(archive, "node"), 0);
        DEFINE(SystemTreeNodeDomain, i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        DEFINE(SystemTreeNodeProperty, i, key, OTF2_TYPE_UINT64, all_events_value(archive, OTF2_TYPE_UINT64, i));
    }
}

static void define_locations(Archive *archive)
{
    OTF2_StringRef key = archive_string(archive, "location property");

    for (uint32_t i = 0; i < N_PROCESSES; i++) {
        g_autofree char *name = g_strdup_printf("MPI Rank %u", i);
        DEFINE(LocationGroup, GROUP_FIRST + i, archive_string(archive, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
               1 + i / 2, i ? GROUP_FIRST : OTF2_UNDEFINED_LOCATION_GROUP);
        DEFINE(LocationGroupProperty, GROUP_FIRST + i, key, OTF2_TYPE_INT16,
               all_events_value(archive, OTF2_TYPE_INT16, i));
        for (unsigned t = 0; t < N_THREADS; t++) {
            uint64_t location = all_events_location(i, t);
            g_autofree char *thread = t ? g_strdup_printf("OMP thread %u", t) : g_strdup("Master thread");
            DEFINE(Location, location, archive_string(archive, thread), OTF2_LOCATION_TYPE_CPU_THREAD,
                   archive_n_events(archive, location), GROUP_FIRST + i);
            DEFINE(LocationProperty, location, key, OTF2_TYPE_DOUBLE, all_events_value(archive, OTF2_TYPE_DOUBLE, t));
        }
    }
}

/* Defines communicators. Each group has the ranks of the one before, rotated by one. Two communicators have empty
 * names. */
static void define_communicators(Archive *archive)
{
    uint64_t locations[N_PROCESSES], ranks[N_PROCESSES];

    for (uint32_t i = 0; i < N_PROCESSES; i++)
        locations[i] = all_events_location(i, 0);
    DEFINE(Group, COMM_GROUP_FIRST - 1, archive_string(archive, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, N_PROCESSES, locations);
    for (uint32_t i = 0; i < N_OF_EACH; i++) {
        g_autofree char *name = i < 2 ? g_strdup("") : g_strdup_printf("communicator %u", i);
        OTF2_StringRef text = archive_string(archive, name);
        for (uint32_t k = 0; k < N_PROCESSES; k++)
            ranks[k] = (k + i) % N_PROCESSES;
        DEFINE(Group, COMM_GROUP_FIRST + i, text, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
               N_PROCESSES, ranks);
        if (i < N_OF_EACH - 1)
            DEFINE(Comm, COMM_FIRST + i, text, COMM_GROUP_FIRST + i, i ? COMM_FIRST : OTF2_UNDEFINED_COMM, i % 2);
        else
            DEFINE(InterComm, COMM_FIRST + i, text, COMM_GROUP_FIRST + i, COMM_GROUP_FIRST, COMM_FIRST, i % 2);
        DEFINE(RmaWin, RMA_WIN_FIRST + i, text, COMM_FIRST + i, i % 2);
    }
}

static void define_topology(Archive *archive)
{
    static const OTF2_CartDimensionRef dimensions[] = {DIMENSION_FIRST, DIMENSION_FIRST + 1};

    DEFINE(CartDimension, DIMENSION_FIRST, archive_string(archive, "x"), 2, OTF2_CART_PERIODIC_TRUE);
    DEFINE(CartDimension, DIMENSION_FIRST + 1, archive_string(archive, "y"), N_PROCESSES / 2, OTF2_CART_PERIODIC_FALSE);
    DEFINE(CartTopology, TOPOLOGY_FIRST, archive_string(archive, "grid"), COMM_FIRST, 2, dimensions);
    for (uint32_t i = 0; i < N_PROCESSES; i++)
        DEFINE(CartCoordinate, TOPOLOGY_FIRST, i, 2, ((const uint32_t[]){i % 2, i / 2}));
}

void define_system(Archive *archive)
{
    define_nodes(archive);
    define_locations(archive);
    define_communicators(archive);
    define_topology(archive);
}
