/* State of MPI in this process. Not every call of MPI_Init passes a wrapper. The constructor of a library that was
 * loaded earlier may call it, or a Fortran binding that does not call the C function. So the first wrapped call asks
 * MPI. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/mpi/comms/clocks.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/start.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/wrapper.h"
#include "src/record/mpi/messages/requests.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Programs may record regions long before MPI_Init. */
const bool xtf_core_awaits_rank = true;

bool xtf_core_has_mpi(void)
{
    return xtf_pmpi_load();
}

static bool is_recorded(void)
{
    return xtf_core_option("FOLDER") != NULL;
}

/* True if the program's MPI is the one for which this library was built. */
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
    return xtf_mpi_state == XTF_MPI_ON && xtf_core_thread.busy != XTF_CORE_BUSY && xtf_mpi_requests_may_exist();
}

bool xtf_mpi_agrees_init(void)
{
    return xtf_core_thread.busy != XTF_CORE_BUSY && is_recorded() && xtf_pmpi_load() && is_ours();
}

static bool mpi_flag(int (*function)(int *))
{
    int flag = 0;

    return function && function(&flag) == MPI_SUCCESS && flag;
}

/* Reads which functions are wanted: all with --all-calls, and the functions that a filter names. CALLS is a list
 * of their numbers: "12 -45" includes one and excludes another. */
static void read_wanted(void)
{
    static const unsigned tests[] = {XTF_MPI_REGION_Test, XTF_MPI_REGION_Testall, XTF_MPI_REGION_Testany,
                                     XTF_MPI_REGION_Testsome};
    const char *all_calls = xtf_core_option("ALL_CALLS"), *at = xtf_core_option("CALLS");
    char *end;

    memset(xtf_mpi_wanted, all_calls && strcmp(all_calls, "1") == 0, sizeof xtf_mpi_wanted);
    for (long number; at && (number = strtol(at, &end, 10)) != 0 && labs(number) < XTF_MPI_N_REGIONS; at = end)
        xtf_mpi_wanted[labs(number)] = number > 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        xtf_mpi_wants_tests |= xtf_mpi_wanted[tests[i]];
}

static bool activate_recorder(void)
{
    if (!is_ours()) {
        xtf_core_say("the program's MPI is not " XTF_MPI_NAME ": its calls are not recorded; see --mpi");
        return false;
    }
    if (!xtf_core_activate())
        return false;
    read_wanted();
    return true;
}

void xtf_mpi_initialized(void)
{
    int provided = 0;

    if (xtf_pmpi.Query_thread && xtf_pmpi.Query_thread(&provided) == MPI_SUCCESS)
        xtf_mpi_threads = provided == MPI_THREAD_MULTIPLE;
    atomic_store_explicit(&xtf_mpi_state, XTF_MPI_ON, memory_order_release);
    xtf_core_end_force();
}

/* Sets up recording after MPI was initialised unseen. A process that cannot record still takes part in the
 * agreements for which other processes wait. */
static void start_after_init(void)
{
    XtfRing *ring;

    pthread_mutex_lock(&lock);
    if (xtf_mpi_state == XTF_MPI_UNKNOWN) {
        ring = activate_recorder() ? xtf_core_begin_frame() : NULL;
        uint32_t busy = ring ? XTF_CORE_IDLE : xtf_core_thread.busy; /* may say that the thread got no ring */
        if (ring || is_ours()) {
            xtf_mpi_wrapper.frame = NULL;
            xtf_core_thread.busy = XTF_CORE_BUSY;
            xtf_mpi_attach(ring && !xtf_core_is_off(ring) ? ring : NULL);
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
    else if (mpi_flag(xtf_pmpi.Initialized) && !mpi_flag(xtf_pmpi.Finalized))
        start_after_init();
    return xtf_mpi_state == XTF_MPI_ON;
}

/* Begins a call that is recorded in a thread that is switched off, too. */
static XtfRing *begin_forced(void)
{
    XtfRing *ring = xtf_core_begin_frame();

    if (ring)
        xtf_core_force_on(ring);
    return ring;
}

XtfRing *xtf_mpi_begin_init(void)
{
    if (!xtf_pmpi_load() || xtf_mpi_state == XTF_MPI_OFF || xtf_core_thread.busy)
        return NULL;
    if (xtf_mpi_state == XTF_MPI_UNKNOWN && (!is_recorded() || !activate_recorder())) {
        xtf_mpi_state = XTF_MPI_OFF;
        return NULL;
    }
    xtf_mpi_wrapper.frame = NULL; /* an earlier call may have left its frame */
    return begin_forced();
}

XtfRing *xtf_mpi_begin_finalize(const void *frame)
{
    XtfRing *ring;

    if (!xtf_pmpi_load())
        return NULL;
    bool nested = xtf_core_thread.busy && !xtf_mpi_was_abandoned(frame);
    if (!nested)
        xtf_mpi_wrapper.frame = NULL;
    ring = !nested && xtf_mpi_is_on() ? begin_forced() : NULL;
    if (!ring)
        xtf_mpi_clocks_end_unrecorded();
    return ring;
}

void xtf_mpi_finalized(void)
{
    xtf_mpi_state = XTF_MPI_OFF;
    xtf_core_end_force();
    xtf_core_finish();
}

/* MPI_Pcontrol. Level 0 stops recording this thread, 1 resumes it, 2 writes what was recorded so far, 3 reads the
 * clocks of all nodes. Other levels are the program's. */
XTF_MPI_VISIBLE int MPI_Pcontrol(const int level, ...)
{
    XtfRing *ring;
    int result;

    if (xtf_core_thread.busy)
        xtf_mpi_was_abandoned(__builtin_frame_address(0));
    bool is_on = xtf_mpi_state == XTF_MPI_ON || xtf_mpi_begin_slowly();
    if (is_on && level == 1 && !xtf_core_thread.busy)
        xtf_core_set_recording(true);
    xtf_mpi_wrapper.frame = NULL;
    ring = is_on ? xtf_core_begin() : NULL;
    if (!ring) {
        result = xtf_mpi_next.Pcontrol(level);
        if (level == 3)
            xtf_mpi_clocks_ask();
        return result;
    }
    xtf_core_enter_from(ring, XTF_MPI_REGION_Pcontrol,
                        xtf_core_site(ring, XTF_MPI_REGION_Pcontrol, xtf_mpi_take_caller()));
    if (level == 2)
        xtf_core_drain();
    result = xtf_mpi_next.Pcontrol(level);
    xtf_core_leave(ring, XTF_MPI_REGION_Pcontrol);
    xtf_core_end();
    if (level == 3)
        xtf_mpi_clocks_ask();
    if (level == 0)
        xtf_core_set_recording(false);
    return result;
}

/* Warns if no call reached the recorder. Some loaders hide a library's functions from libraries that are loaded
 * before it (RTLD_DEEPBIND, -Bsymbolic). */
__attribute__((destructor)) static void warn_of_unseen_calls(void)
{
    if (xtf_mpi_state == XTF_MPI_UNKNOWN && is_recorded() && xtf_pmpi_load() && mpi_flag(xtf_pmpi.Initialized))
        xtf_core_say("MPI was initialised, but the recorder saw no call of it: the program took MPI's functions from a "
                     "handle of dlopen() (dlsym(RTLD_DEFAULT, ...) finds the recorder's), or a library binds them to "
                     "itself (RTLD_DEEPBIND, -Bsymbolic)");
}
