#include "src/world/world.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/world/load.h"
#include "src/world/world-private.h"

enum { FORWARD_US = 300 * 1000 }; /* time in which a launcher forwards a message of a process */

static XtfWorld *world_new(XtfLauncher launcher, const XtfWorldModule *module, unsigned rank, unsigned size)
{
    XtfWorld *world = g_new0(XtfWorld, 1);

    world->is_launched = launcher != XTF_LAUNCHER_NONE;
    world->module = module;
    world->rank = rank;
    world->size = size;
    world->peers = g_new0(XtfPeer, size);
    for (unsigned i = 0; i < size; i++) {
        g_queue_init(&world->peers[i].waiting);
        g_queue_init(&world->peers[i].together);
    }
    world->sent = g_array_new(FALSE, FALSE, sizeof(XtfSentMessage));
    g_queue_init(&world->arrived);
    world->last_sum = UINT64_MAX;
    return world;
}

/* Loads the module of the launcher's MPI. If the launcher may be of either MPI, one of both is enough. */
static const XtfWorldModule *load_module(XtfLauncher launcher, bool is_sure, GError **error)
{
    const XtfLauncher second = launcher == XTF_LAUNCHER_OPENMPI ? XTF_LAUNCHER_MPICH : XTF_LAUNCHER_OPENMPI;
    const XtfWorldModule *module = xtf_world_load(launcher, error);

    if (module || is_sure)
        return module;
    module = xtf_world_load(second, NULL);
    if (module)
        g_clear_error(error);
    return module;
}

XtfWorld *xtf_world_start(GError **error)
{
    bool is_sure;
    XtfLauncher launcher;
    unsigned rank = 0, size = 1, expected = xtf_launcher_n_processes();
    g_autoptr(GError) fault = NULL;

    if (!xtf_launcher_find(&launcher, &is_sure)) {
        xtf_fail(error, XTF_ERROR_INVALID, "XTF_MPI=%s: it is openmpi, mpich or none", g_getenv("XTF_MPI"));
        return NULL;
    }
    if (launcher == XTF_LAUNCHER_NONE)
        return world_new(launcher, NULL, rank, size);
    const XtfWorldModule *module = load_module(launcher, is_sure, &fault);
    if (!module && xtf_world_is_alone())
        return world_new(launcher, NULL, rank, size);
    if (!module) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return NULL;
    }
    if (!module->start(&rank, &size)) {
        xtf_fail(error, XTF_ERROR_IO, "%s does not start", xtf_world_mpi_name(launcher));
        return NULL;
    }
    if (size == 1 && expected > 1) {
        module->end();
        xtf_fail(error, XTF_ERROR_INVALID,
                 "%u processes were started, but %s finds one: they are of another MPI, which XTF_MPI=openmpi or "
                 "XTF_MPI=mpich names (or, with Slurm, srun needs another --mpi)",
                 expected, xtf_world_mpi_name(launcher));
        return NULL;
    }
    return world_new(launcher, module, rank, size);
}

bool xtf_world_is_alone(void)
{
    return xtf_launcher_n_processes() == 1;
}

void xtf_world_give_up(void)
{
    XtfLauncher launcher;
    bool is_sure;
    bool is_alone = xtf_launcher_find(&launcher, &is_sure) && launcher == XTF_LAUNCHER_NONE;

    if (is_alone || xtf_launcher_n_processes() <= 1)
        return;
    fflush(NULL);
    g_usleep(FORWARD_US); /* a launcher may drop a message that it has not forwarded when the process ends */
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

unsigned xtf_world_rank(const XtfWorld *world)
{
    return world->rank;
}

unsigned xtf_world_size(const XtfWorld *world)
{
    return world->size;
}

bool xtf_world_is_launched(const XtfWorld *world)
{
    return world->is_launched;
}

/* Ends messages and sums of all ranks, so that MPI can end. */
static void settle_messages(XtfWorld *world)
{
    uint64_t n = 0;
    g_autoptr(GBytes) own = g_bytes_new(&world->n_sums, sizeof world->n_sums);

    xtf_world_flush(world);
    g_autoptr(GPtrArray) all = xtf_world_gather(world, own);
    for (guint i = 0; all && i < all->len; i++) {
        uint64_t of_rank;
        memcpy(&of_rank, g_bytes_get_data(all->pdata[i], NULL), sizeof of_rank);
        n = MAX(n, of_rank);
    }
    g_autoptr(GBytes) most = g_bytes_new(&n, sizeof n), agreed = xtf_world_broadcast(world, most);
    memcpy(&n, g_bytes_get_data(agreed, NULL), sizeof n);
    xtf_world_complete_sums(world, n);
    xtf_world_flush(world);
}

static void unref_bytes(gpointer bytes)
{
    g_bytes_unref(bytes);
}

static void free_batch(gpointer data)
{
    XtfArrivedBatch *batch = data;

    g_bytes_unref(batch->bytes);
    g_free(batch);
}

static void finish_peer(XtfPeer *peer)
{
    g_queue_clear_full(&peer->waiting, unref_bytes);
    g_queue_clear_full(&peer->together, unref_bytes);
    for (size_t i = 0; i < G_N_ELEMENTS(peer->pieces); i++)
        g_clear_pointer(&peer->pieces[i], g_byte_array_unref);
}

static int end_status; /* for leave_ended_job() */

static void leave_ended_job(int signal_number)
{
    (void)signal_number;
    _exit(end_status);
}

/* Ends MPI, or this process if MPI hangs. MPICH 4.0 with UCX sometimes does: a rank in its last barrier no longer
 * answers the ranks that close their connections. */
static void end_mpi(const XtfWorldModule *module, int status)
{
    const struct sigaction action = {.sa_handler = leave_ended_job};

    fflush(NULL);
    end_status = status;
    sigaction(SIGALRM, &action, NULL);
    alarm(status == 0 ? XTF_WORLD_END_SECONDS : XTF_WORLD_FAILED_END_SECONDS);
    module->end();
    alarm(0);
}

void xtf_world_end(XtfWorld *world, int status)
{
    if (!world)
        return;
    for (unsigned i = 0; i < world->size; i++) /* batches that wait for credit are lost */
        g_queue_clear_full(&world->peers[i].waiting, unref_bytes);
    if (world->module) {
        settle_messages(world);
        end_mpi(world->module, status);
    }
    for (unsigned i = 0; i < world->size; i++)
        finish_peer(&world->peers[i]);
    g_queue_clear_full(&world->arrived, free_batch);
    g_array_unref(world->sent);
    g_free(world->peers);
    g_free(world);
}
