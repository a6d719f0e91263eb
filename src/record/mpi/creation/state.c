/*
 * How far MPI has come in this process. MPI_Init may be called where no wrapper sees it: by the constructor of a
 * library that was loaded before, or by a Fortran binding that does not come through C. So the first wrapped call asks
 * MPI.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/start.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/wrapper.h"
#include "src/record/mpi/messages/requests.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Regions may be recorded long before MPI is there. */
const bool xtf_core_awaits_rank = true;

bool xtf_core_has_mpi(void)
{
    return xtf_pmpi_load();
}

static bool is_recorded(void)
{
    return xtf_core_option("FOLDER") != NULL;
}

/* The program's MPI is the one that this library was made for. */
static bool is_ours(void)
{
#ifdef OPEN_MPI
    return MPI_COMM_WORLD != NULL;
#else
    return !dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
#endif
}

bool xtf_mpi_agrees(void)
{
    return xtf_mpi_agreeing && xtf_core_thread.busy != XTF_CORE_BUSY;
}

bool xtf_mpi_forgets(void)
{
    return xtf_mpi_state == XTF_MPI_ON && xtf_core_thread.busy != XTF_CORE_BUSY && xtf_mpi_requests_are_there();
}

bool xtf_mpi_agrees_init(void)
{
    return xtf_core_thread.busy != XTF_CORE_BUSY && is_recorded() && xtf_pmpi_load() && is_ours();
}

static bool mpi_says(int (*function)(int *))
{
    int flag = 0;

    return function && function(&flag) == MPI_SUCCESS && flag;
}

static bool activate(void)
{
    const char *all = xtf_core_option("ALL_CALLS");

    if (!is_ours()) {
        xtf_core_say("the program's MPI is not " XTF_MPI_NAME ": its calls are not recorded; see --mpi");
        return false;
    }
    if (!xtf_core_activate())
        return false;
    xtf_mpi_all_calls = all && strcmp(all, "1") == 0;
    return true;
}

void xtf_mpi_initialized(void)
{
    int provided = 0;

    if (xtf_pmpi.Query_thread && xtf_pmpi.Query_thread(&provided) == MPI_SUCCESS)
        xtf_mpi_threads = provided == MPI_THREAD_MULTIPLE;
    atomic_store_explicit(&xtf_mpi_state, XTF_MPI_ON, memory_order_release);
}

/* MPI was initialised behind our back. A process that cannot record takes part in what others wait for. */
static void catch_up(void)
{
    XtfRing *ring;

    pthread_mutex_lock(&lock);
    if (xtf_mpi_state == XTF_MPI_UNKNOWN) {
        ring = activate() ? xtf_core_begin() : NULL;
        uint32_t busy = ring ? XTF_CORE_IDLE : xtf_core_thread.busy; /* which may be that it was refused a ring */
        if (ring || is_ours()) {
            xtf_mpi_wrapper.frame = NULL;
            xtf_core_thread.busy = XTF_CORE_BUSY;
            xtf_mpi_attach(ring);
            atomic_signal_fence(memory_order_acq_rel);
            xtf_core_thread.busy = busy;
        }
        if (ring)
            xtf_mpi_initialized();
        else
            xtf_mpi_state = XTF_MPI_OFF;
    }
    pthread_mutex_unlock(&lock);
}

bool xtf_mpi_was_abandoned(const void *frame)
{
    XtfRing *ring = xtf_core_thread.ring;

    if (xtf_core_thread.busy != XTF_CORE_BUSY || !xtf_mpi_wrapper.frame || frame < xtf_mpi_wrapper.frame)
        return false;
    if (ring && ring->depth > xtf_mpi_wrapper.depth)
        xtf_mpi_failed(ring, xtf_core_now());
    while (ring && ring->depth > xtf_mpi_wrapper.depth)
        xtf_core_leave(ring, ring->depth <= XTF_CORE_STACK ? ring->stack[ring->depth - 1] : 0);
    xtf_mpi_wrapper.frame = NULL;
    xtf_core_end();
    return true;
}

bool xtf_mpi_begin_slowly(void)
{
    if (!xtf_pmpi_load() || xtf_mpi_state == XTF_MPI_OFF || xtf_core_thread.busy)
        return false;
    if (!is_recorded())
        xtf_mpi_state = XTF_MPI_OFF;
    else if (mpi_says(xtf_pmpi.Initialized) && !mpi_says(xtf_pmpi.Finalized))
        catch_up();
    return xtf_mpi_state == XTF_MPI_ON;
}

XtfRing *xtf_mpi_begin_init(void)
{
    if (!xtf_pmpi_load() || xtf_mpi_state == XTF_MPI_OFF || xtf_core_thread.busy)
        return NULL;
    if (xtf_mpi_state == XTF_MPI_UNKNOWN && (!is_recorded() || !activate())) {
        xtf_mpi_state = XTF_MPI_OFF;
        return NULL;
    }
    xtf_mpi_wrapper.frame = NULL; /* a call before may have left its own */
    return xtf_core_begin();
}

XtfRing *xtf_mpi_begin_finalize(const void *frame)
{
    if (!xtf_pmpi_load() || (xtf_core_thread.busy && !xtf_mpi_was_abandoned(frame)) || !xtf_mpi_is_on())
        return NULL;
    xtf_core_set_recording(true);
    xtf_mpi_wrapper.frame = NULL;
    return xtf_core_begin();
}

void xtf_mpi_finalized(void)
{
    xtf_mpi_state = XTF_MPI_OFF;
    xtf_core_finish();
}

/* MPI_Pcontrol: 0 this thread is not recorded from here on, 1 it is again, 2 what was recorded is written now. Other
 * levels are the program's. */
XTF_MPI_VISIBLE int MPI_Pcontrol(const int level, ...)
{
    XtfRing *ring;
    int result;

    if (xtf_core_thread.busy)
        xtf_mpi_was_abandoned(__builtin_frame_address(0));
    bool known = xtf_mpi_state == XTF_MPI_ON || xtf_mpi_begin_slowly();
    if (known && level == 1 && !xtf_core_thread.busy)
        xtf_core_set_recording(true);
    xtf_mpi_wrapper.frame = NULL;
    ring = known ? xtf_core_begin() : NULL;
    if (!ring)
        return xtf_mpi_next.Pcontrol(level);
    xtf_core_enter(ring, XTF_MPI_REGION_Pcontrol);
    if (level == 2)
        xtf_core_drain();
    result = xtf_mpi_next.Pcontrol(level);
    xtf_core_leave(ring, XTF_MPI_REGION_Pcontrol);
    xtf_core_end();
    if (level == 0)
        xtf_core_set_recording(false);
    return result;
}

/* Some loaders hide a library's functions from those that are loaded before it (RTLD_DEEPBIND, -Bsymbolic). */
__attribute__((destructor)) static void warn_of_silence(void)
{
    if (xtf_mpi_state == XTF_MPI_UNKNOWN && is_recorded() && xtf_pmpi_load() && mpi_says(xtf_pmpi.Initialized))
        xtf_core_say("MPI was initialised, but no call of it came to the recorder: a library binds MPI's functions to "
                     "itself (RTLD_DEEPBIND, -Bsymbolic)");
}
