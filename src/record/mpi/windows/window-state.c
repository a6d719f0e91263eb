#include "src/record/mpi/windows/window-state.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/valid.h"

enum { PENDING_MOST = 1 << 20, COMPLETE_LOCALLY = 1, COMPLETE_REMOTELY = 3 /* values of the record RMA_COMPLETE */ };

static int keyval = MPI_KEYVAL_INVALID;

/* ---- All windows that exist, which are few. */

static XtfMpiWindow *windows;
static pthread_mutex_t windows_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_window(XtfMpiWindow *window)
{
    pthread_mutex_lock(&windows_lock);
    window->next = windows;
    windows = window;
    pthread_mutex_unlock(&windows_lock);
}

static void remove_window(const XtfMpiWindow *window)
{
    XtfMpiWindow **at = &windows;

    pthread_mutex_lock(&windows_lock);
    while (*at && *at != window)
        at = &(*at)->next;
    if (*at)
        *at = window->next;
    pthread_mutex_unlock(&windows_lock);
}

/* ---- The attribute. */

static int copy_window(MPI_Win win, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)win, (void)key, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_window(MPI_Win win, int key, void *value, void *extra)
{
    XtfMpiWindow *window = value;

    (void)key, (void)extra;
    xtf_mpi_valid_remove((uint64_t)(uintptr_t)win);
    xtf_mpi_forget();
    xtf_mpi_record_end(XTF_WIRE_RMA_WIN_DESTROY, window->id);
    remove_window(window);
    free(window->pending);
    free(window);
    return MPI_SUCCESS;
}

/* Makes the attribute's key at first use. All members of a window make it in order, but several threads may make
 * windows. */
static bool have_keyval(void)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; /* held while MPI is called */

    pthread_mutex_lock(&making);
    if (keyval == MPI_KEYVAL_INVALID &&
        XTF_PMPI(Win_create_keyval)(copy_window, delete_window, &keyval, NULL) != MPI_SUCCESS)
        keyval = MPI_KEYVAL_INVALID;
    pthread_mutex_unlock(&making);
    return keyval != MPI_KEYVAL_INVALID;
}

void xtf_mpi_window_begin(MPI_Win win, uint32_t id, uint32_t comm, bool allocated)
{
    XtfMpiWindow *window = id != XTF_WIRE_NONE && have_keyval() ? calloc(1, sizeof *window) : NULL;

    xtf_mpi_forget();
    if (!window)
        return;
    window->id = id;
    window->comm = comm;
    window->allocated = allocated;
    window->access = window->exposure = XTF_WIRE_NONE;
    if (XTF_PMPI(Win_set_attr)(win, keyval, window) == MPI_SUCCESS) {
        add_window(window);
        xtf_mpi_valid_add((uint64_t)(uintptr_t)win);
    } else {
        free(window);
    }
}

XtfMpiWindow *xtf_mpi_window(MPI_Win win)
{
    uint64_t handle = (uint64_t)(uintptr_t)win;
    XtfMpiCached *cached = xtf_mpi_cache_entry(handle);
    uint32_t generation = atomic_load_explicit(&xtf_mpi_generation, memory_order_acquire);
    void *value = NULL;
    int found = 0;

    if (xtf_mpi_is_cached(cached, handle))
        return (XtfMpiWindow *)(uintptr_t)cached->value;
    if (!xtf_mpi_valid_has(handle))
        return NULL;
    if (XTF_PMPI(Win_get_attr)(win, keyval, (void *)&value, &found) != MPI_SUCCESS || !found)
        value = NULL;
    *cached = (XtfMpiCached){handle, (uint64_t)(uintptr_t)value, generation};
    return value;
}

uint32_t xtf_mpi_window_comm(MPI_Win win)
{
    const XtfMpiWindow *window = xtf_mpi_window(win);

    return window ? window->comm : XTF_WIRE_NONE;
}

/* ---- Operations. */

void xtf_mpi_window_add(XtfMpiWindow *window, uint64_t matching, int target)
{
    xtf_spin_lock(&window->busy);
    if (window->n_pending == window->room && window->room < PENDING_MOST) {
        uint32_t room = window->room ? 2 * window->room : 64;
        XtfMpiPending *pending = realloc(window->pending, room * sizeof *pending);
        if (pending) {
            window->pending = pending;
            window->room = room;
        }
    }
    if (window->n_pending < window->room)
        window->pending[window->n_pending++] = (XtfMpiPending){matching, target, false};
    xtf_spin_unlock(&window->busy);
}

void xtf_mpi_window_complete(XtfMpiWindow *window, XtfRing *ring, uint64_t time, int target, bool local)
{
    uint32_t n = 0;

    xtf_spin_lock(&window->busy);
    for (uint32_t i = 0; i < window->n_pending; i++) {
        XtfMpiPending *pending = &window->pending[i];
        bool is_target = target == XTF_MPI_ANY_TARGET || pending->target == target;
        if (is_target && !(local && pending->local))
            xtf_core_record(ring, time, XTF_WIRE_RMA_COMPLETE, local ? COMPLETE_LOCALLY : COMPLETE_REMOTELY, window->id,
                            pending->matching);
        pending->local |= is_target;
        if (!is_target || local)
            window->pending[n++] = *pending;
    }
    window->n_pending = n;
    xtf_spin_unlock(&window->busy);
}

bool xtf_mpi_window_complete_one(uint32_t id, uint64_t matching)
{
    bool before = false;

    pthread_mutex_lock(&windows_lock);
    XtfMpiWindow *window = windows;
    while (window && window->id != id)
        window = window->next;
    if (window) {
        xtf_spin_lock(&window->busy);
        for (uint32_t i = 0; i < window->n_pending; i++)
            if (window->pending[i].matching == matching) {
                before = window->pending[i].local;
                window->pending[i].local = true;
            }
        xtf_spin_unlock(&window->busy);
    }
    pthread_mutex_unlock(&windows_lock);
    return !before;
}
