#include "sums.h"

/* Regions of a recorder that writes roles and paradigms, and of one that calls every region a user function. */
typedef struct {
    const char *name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} Region;

#define USER(name)                                          \
    {                                                       \
        name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER \
    }
#define MPI(name, ROLE)                                  \
    {                                                    \
        name, OTF2_REGION_ROLE_##ROLE, OTF2_PARADIGM_MPI \
    }
#define OMP(name, ROLE)                                     \
    {                                                       \
        name, OTF2_REGION_ROLE_##ROLE, OTF2_PARADIGM_OPENMP \
    }
#define OWN(name, PARADIGM)                                         \
    {                                                               \
        name, OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_##PARADIGM \
    }

enum {
    INIT,
    FINALIZE,
    CALLED
}; /* positions in both lists: the region that begins MPI, the one that ends it, the
    * first of the others */

static const Region hybrid[] = {
    MPI("MPI_Init_thread", FUNCTION),
    MPI("MPI_Finalize", COLL_OTHER),
    {"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
    {"mpi_send_", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER}, /* a function of the program */
    OWN("a.out", MEASUREMENT_SYSTEM),                                 /* the program */
    OWN("TRACE BUFFER FLUSH", MEASUREMENT_SYSTEM),
    OWN("MEASUREMENT OFF", USER),
    MPI("MPI_Wait", POINT2POINT),
    MPI("MPI_Send", POINT2POINT),
    MPI("MPI_Iallreduce", COLL_ALL2ALL),
    MPI("MPI_Barrier", BARRIER),
    MPI("MPI_Win_allocate", ALLOCATE),
    MPI("MPI_File_write_all", FILE_IO),
    MPI("MPI_Comm_dup", FUNCTION),
    MPI("halo exchange", POINT2POINT),
    OMP("!$omp parallel @a.c:3", PARALLEL),
    OMP("!$omp for @a.c:5", LOOP),
    OMP("!$omp implicit barrier @a.c:9", IMPLICIT_BARRIER),
    OMP("!$omp critical @a.c:7", CRITICAL),
    OMP("!$omp critical sblock @a.c:7", CRITICAL_SBLOCK),
    OMP("!$omp create task @a.c:8", TASK_CREATE),
    OMP("omp_set_lock", FUNCTION),
    {"pthread_join", OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD},
    {"fwrite", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_NONE},
    {"cudaMemcpy", OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_CUDA},
    {"shmem_put", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_SHMEM},
};

static const Region plain[] = {
    USER("mpi_init_"),        USER("PMPI_Finalize"), USER("work"),         USER("MPI_Recv"),
    USER("mpi_waitall__"),    USER("MPI_ALLREDUCE"), USER("mpi_barrier_"), USER("MPI_Get_accumulate"),
    USER("mpi_step"),         USER("MPI_Pcontrol"),  USER("write"),        USER("pthread_mutex_lock"),
    USER("EZTrace finalize"),
};

typedef struct {
    const char *name;
    const Region *regions;
    uint32_t n_regions, n_procs, n_threads;
} Plan;

static void define_regions(Archive *archive, const Plan *plan)
{
    OTF2_StringRef empty = archive_string(archive, "");

    for (uint32_t i = 0; i < plan->n_regions; i++) {
        const Region *region = &plan->regions[i];
        OTF2_StringRef name = archive_string(archive, region->name);
        WRITE(OTF2_GlobalDefWriter_WriteRegion(archive_global(archive), i, name, name, empty, region->role,
                                               region->paradigm, OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
}

/* Writes random nested calls of regions of all classes: functions of the program and of MPI call each other. The
 * stack is empty now and then. */
static uint64_t write_nested_calls(OTF2_EvtWriter *writer, const Plan *plan, Dice *numbers, uint64_t time)
{
    uint32_t open[6], depth = 0;

    for (uint32_t i = 0; i < 400 || depth; i++, time += dice(numbers, 50)) {
        bool ends = depth && (i >= 400 || depth == G_N_ELEMENTS(open) || dice(numbers, 2));
        if (ends) {
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, open[--depth]));
        } else {
            open[depth] = CALLED + dice(numbers, plan->n_regions - CALLED);
            WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, open[depth++]));
        }
    }
    return time;
}

/* Writes the calls of one location. First threads begin and end MPI at different times; the last process never
 * leaves MPI_Finalize. Other threads begin late and have no events before and after their calls. The first of these
 * begins with a LEAVE. */
static void write_calls(Archive *archive, const Plan *plan, uint64_t location)
{
    OTF2_EvtWriter *writer = archive_events(archive, location);
    bool is_first = location < plan->n_procs;
    Dice numbers = {location + 77};
    uint64_t time = 1000 + 100 * location;

    if (location == plan->n_procs)
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time += 40, CALLED));
    if (is_first) {
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, INIT));
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time += 2000 + dice(&numbers, 500), INIT));
    }
    time = write_nested_calls(writer, plan, &numbers, time + 300 * location);
    if (is_first)
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, time += dice(&numbers, 900), FINALIZE));
    time += 700;
    if (is_first && location + 1 < plan->n_procs)
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, FINALIZE));
    else if (is_first)
        WRITE(OTF2_EvtWriter_MeasurementOnOff(writer, NULL, time, OTF2_MEASUREMENT_OFF));
}

/* Writes an archive. After the threads, process 0 has a stream of an accelerator, and process 1 a thread without
 * calls. */
static void write_plan(const char *folder, const Plan *plan)
{
    Archive *archive = archive_new(folder, plan->name);
    uint64_t n = (uint64_t)plan->n_procs * plan->n_threads;

    for (uint64_t location = 0; location <= n; location++)
        write_calls(archive, plan, location);
    WRITE(OTF2_EvtWriter_MeasurementOnOff(archive_events(archive, n + 1), NULL, 5000, OTF2_MEASUREMENT_ON));
    archive_clock(archive, 1000000, 1000, 30000);
    sums_places(archive, plan->n_procs, plan->n_threads);
    define_regions(archive, plan);
    WRITE(OTF2_GlobalDefWriter_WriteLocation(archive_global(archive), n, archive_string(archive, "stream"),
                                             OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, archive_n_events(archive, n), 0));
    archive_location(archive, n + 1, 1, "without calls");
    archive_close(archive);
}

void write_sums_hybrid(const char *folder)
{
    write_plan(folder, &(Plan){"sums-hybrid", hybrid, G_N_ELEMENTS(hybrid), 3, 3});
}

void write_sums_plain(const char *folder)
{
    write_plan(folder, &(Plan){"sums-plain", plain, G_N_ELEMENTS(plain), 4, 1});
}
