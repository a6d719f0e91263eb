#include "src/record/mpi/fortran/fortran.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/neighbors.h"
#include "src/record/mpi/library/wrapper.h"

/* Variables of the Fortran libraries whose addresses are MPI's constants. Each Fortran compiler spells their symbols in
 * its own way. */
#ifdef OPEN_MPI
#define SPELLINGS(name, NAME) name, name "_", name "__", NAME
static const char *const ignore_names[] = {SPELLINGS("mpi_fortran_status_ignore", "MPI_FORTRAN_STATUS_IGNORE"),
                                           SPELLINGS("mpi_fortran_statuses_ignore", "MPI_FORTRAN_STATUSES_IGNORE")};
static const char *const in_place_names[] = {SPELLINGS("mpi_fortran_in_place", "MPI_FORTRAN_IN_PLACE")};
#else
static const char *const ignore_names[] = {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"};
static const char *const in_place_names[] = {"MPIR_F08_MPI_IN_PLACE"};
#endif

enum {
    N_IGNORES = sizeof ignore_names / sizeof *ignore_names,
    N_IN_PLACES = sizeof in_place_names / sizeof *in_place_names,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const void *ignores[N_IGNORES], *in_places[N_IN_PLACES];

static void *find_symbol(void *scope, const char *name)
{
    void *found = dlsym(scope, name), *library = found ? NULL : xtf_pmpi_open_library_of(name);

    if (library) {
        found = dlsym(library, name);
        dlclose(library); /* the program has it open */
    }
    return found;
}

static void find_symbols(const char *const *wanted, const void **found, unsigned n)
{
    bool any = false;

    /* The program may have its own copies, which take precedence. */
    for (unsigned i = 0; i < n; i++) {
        found[i] = dlsym(RTLD_DEFAULT, wanted[i]);
        any = any || found[i];
    }
    for (unsigned i = 0; i < n && !any; i++)
        found[i] = find_symbol(RTLD_DEFAULT, wanted[i]);
}

static void find_variables(void)
{
    find_symbols(ignore_names, ignores, N_IGNORES);
    find_symbols(in_place_names, in_places, N_IN_PLACES);
}

static void abort_missing(void)
{
    xtf_core_say("a routine of MPI was called that the program's Fortran library does not have");
    abort();
}

void *xtf_fortran_find(const char *profiling_name, const char *name)
{
    const char *stack = xtf_core_option("STACK");
    void *found = stack && strcmp(stack, "1") == 0 ? dlsym(RTLD_NEXT, name) : NULL;

    pthread_once(&once, find_variables);
    if (!found)
        found = find_symbol(RTLD_NEXT, profiling_name);
    if (!found) /* Open MPI 5.0.7 lacks the profiling names of two routines of mpi_f08. */
        found = find_symbol(RTLD_NEXT, name);
    return found ? found : (void *)abort_missing;
}

bool xtf_fortran_ignored(const void *statuses)
{
    for (unsigned i = 0; i < N_IGNORES; i++)
        if (statuses && statuses == ignores[i])
            return true;
    return false;
}

bool xtf_fortran_in_place(const void *buffer)
{
    for (unsigned i = 0; i < N_IN_PLACES; i++)
        if (buffer && buffer == in_places[i])
            return true;
    return false;
}

const void *xtf_fortran_buffer(const void *buffer)
{
    return xtf_fortran_in_place(buffer) ? MPI_IN_PLACE : buffer;
}

/* Memory for each purpose. */
typedef enum { REQUESTS, SENT_TYPES, RECEIVED_TYPES, INDICES, TEXT, N_PURPOSES } Purpose;

static __thread struct {
    void *at;
    size_t size;
} scratch[N_PURPOSES] __attribute__((tls_model("initial-exec")));

static void *scratch_of(Purpose purpose, size_t size)
{
    if (size > scratch[purpose].size) {
        void *more = realloc(scratch[purpose].at, size);
        if (!more)
            abort();
        scratch[purpose].at = more;
        scratch[purpose].size = size;
    }
    return scratch[purpose].at;
}

MPI_Request *xtf_fortran_requests(int n, const MPI_Fint *requests)
{
    MPI_Request *converted = n > 0 ? scratch_of(REQUESTS, (size_t)n * sizeof *converted) : NULL;

    for (int i = 0; i < n; i++)
        converted[i] = XTF_FORTRAN_REQUEST(requests[i]);
    return converted;
}

/* Returns the number of partners of a collective operation. */
static int partners_of(bool sent, bool neighbor, MPI_Comm comm)
{
    int inter = 0, n = 0;

    if (neighbor) {
        XtfMpiNeighbors neighbors = xtf_mpi_neighbors_of(comm);
        return (int)(sent ? neighbors.destination_places : neighbors.source_places);
    }
    xtf_pmpi.Comm_test_inter(comm, &inter);
    if (inter)
        xtf_pmpi.Comm_remote_size(comm, &n);
    else
        xtf_pmpi.Comm_size(comm, &n);
    return n;
}

const MPI_Datatype *xtf_fortran_types(bool sent, bool neighbor, MPI_Comm comm, const MPI_Fint *types)
{
    int n = partners_of(sent, neighbor, comm);
    MPI_Datatype *converted =
        n > 0 ? scratch_of(sent ? SENT_TYPES : RECEIVED_TYPES, (size_t)n * sizeof *converted) : NULL;

    for (int i = 0; i < n; i++)
        converted[i] = XTF_FORTRAN_TYPE(types[i]);
    return converted;
}

MPI_Comm *xtf_fortran_kept_comm(MPI_Comm comm)
{
    MPI_Comm *kept = malloc(sizeof *kept);

    if (kept)
        *kept = comm;
    return kept;
}

const char *xtf_fortran_text(const char *text, size_t length)
{
    char *copy;

    while (length > 0 && text[length - 1] == ' ')
        length--;
    copy = scratch_of(TEXT, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Index of the first request in Fortran. */
static int first_index = 1;

#ifndef OPEN_MPI
/* Finds first_index by a call in which the second of two requests completes. */
static void try_index(void)
{
    typedef void Waitany(const MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index, MPI_Status *status, MPI_Fint *ierror);
    Waitany *waitany = (Waitany *)xtf_fortran_find("pmpir_waitany_f08_", "mpi_waitany_f08_");
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Fint n = 2, index = 2, ierror = MPI_SUCCESS;
    MPI_Status status;

    if (xtf_pmpi.Ibarrier(MPI_COMM_SELF, &requests[1]) != MPI_SUCCESS)
        return;
    waitany(&n, requests, &index, &status, &ierror);
    first_index = index == 1 ? 0 : 1;
}
#endif

int xtf_fortran_index(MPI_Fint index)
{
#ifndef OPEN_MPI
    static pthread_once_t tried = PTHREAD_ONCE_INIT;
    pthread_once(&tried, try_index);
#endif
    return index >= first_index ? index - first_index : index;
}

int xtf_fortran_outcount(int result, MPI_Fint outcount, MPI_Fint count)
{
    if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS)
        return 0;
    return outcount < count ? outcount : count;
}

const int *xtf_fortran_indices(int n, const MPI_Fint *indices)
{
    int *converted = n > 0 ? scratch_of(INDICES, (size_t)n * sizeof *converted) : NULL;

    for (int i = 0; i < n; i++)
        converted[i] = xtf_fortran_index(indices[i]);
    return converted;
}

/* MPI_Pcontrol and the clocks, which have no error argument, in the spellings of generate/fortran.py. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define SWITCH(name)                                 \
    XTF_MPI_VISIBLE void name(const MPI_Fint *level) \
    {                                                \
        MPI_Pcontrol(*level);                        \
    }
#define CLOCK(name, function)         \
    XTF_MPI_VISIBLE double name(void) \
    {                                 \
        return function();            \
    }

SWITCH(mpi_pcontrol_f08_)
#ifdef OPEN_MPI
SWITCH(mpi_pcontrol_)
SWITCH(mpi_pcontrol__)
SWITCH(MPI_PCONTROL)
CLOCK(mpi_wtime_, MPI_Wtime)
CLOCK(mpi_wtime__, MPI_Wtime)
CLOCK(MPI_WTIME, MPI_Wtime)
CLOCK(mpi_wtick_, MPI_Wtick)
CLOCK(mpi_wtick__, MPI_Wtick)
CLOCK(MPI_WTICK, MPI_Wtick)
#else
CLOCK(mpi_wtime_f08_, MPI_Wtime)
CLOCK(mpi_wtick_f08_, MPI_Wtick)
#endif
