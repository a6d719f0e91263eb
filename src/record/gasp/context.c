#include "src/record/gasp/context.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { COMMUNICATOR_NAME = 9 }; /* bytes of "UPC world" */

XtfGaspUpcalls xtf_gasp_upcalls;

/* Context of a thread of which nothing is recorded. */
static XtfGaspContext unrecorded = {.on = true};

/* Finds the functions of gaspu.upc in the program. */
static void find_upcalls(void)
{
    *(void **)&xtf_gasp_upcalls.threads = dlsym(RTLD_DEFAULT, "xtf_gaspu_threads");
    *(void **)&xtf_gasp_upcalls.locate = dlsym(RTLD_DEFAULT, "xtf_gaspu_locate");
    *(void **)&xtf_gasp_upcalls.sync_mode = dlsym(RTLD_DEFAULT, "xtf_gaspu_sync_mode");
}

/* Returns the dialect of the library that the program is linked with. Other tools' libraries do not say theirs. */
static XtfGaspDialect find_dialect(void)
{
    const char *name = dlsym(RTLD_DEFAULT, "xtf_gasp_dialect");
    XtfGaspDialect dialect = XTF_GASP_BERKELEY;

    if (!name || !xtf_gasp_find_dialect(name, &dialect))
        xtf_core_say("the program is not linked with libxtf-gasp-bupc or libxtf-gasp-gupc: its events are taken for "
                     "Berkeley UPC's");
    return dialect;
}

static void find_regions(XtfGaspContext *context)
{
    for (unsigned id = 1; id < XTF_GASP_N_EVENTS; id++) {
        const XtfGaspEvent *event = &xtf_gasp_events[id];
        context->regions[id] =
            event->region[0] ? xtf_regions_named(event->region, "", 0, event->role, event->paradigm) : XTF_REGIONS_NONE;
    }
}

/* Defines the window of all threads, its communicator and its group. Thread 0 defines the members. */
static void define_window(XtfRing *ring, const XtfGaspContext *context)
{
    uint32_t n = context->thread == 0 ? context->n_threads : 0;
    struct {
        XtfDefineGroup head;
        uint32_t members[];
    } *group = malloc(sizeof *group + 4 * (size_t)n);
    struct {
        XtfDefineComm head;
        char name[COMMUNICATOR_NAME];
    } comm = {
        {.group = XTF_GASP_ID, .remote_group = XTF_WIRE_NONE, .parent = XTF_WIRE_NONE, .name_size = COMMUNICATOR_NAME},
        {'U', 'P', 'C', ' ', 'w', 'o', 'r', 'l', 'd'}};
    const XtfDefineWindow window = {.comm = XTF_GASP_ID};

    if (!group)
        return;
    group->head = (XtfDefineGroup){n, XTF_WIRE_UPC};
    for (uint32_t i = 0; i < n; i++)
        group->members[i] = i;
    xtf_core_define(ring, XTF_DEFINE_GROUP, XTF_GASP_ID, group, sizeof *group + 4 * (size_t)n);
    xtf_core_define(ring, XTF_DEFINE_COMM, XTF_GASP_ID, &comm, sizeof comm.head + COMMUNICATOR_NAME);
    xtf_core_define(ring, XTF_DEFINE_WINDOW, XTF_GASP_ID, &window, sizeof window);
    free(group);
}

/* Activates the recorder with the thread's number. Returns false if the thread cannot be recorded. */
static bool start_process(XtfGaspContext *context, bool is_numbered)
{
    if (is_numbered && !xtf_core_process)
        xtf_core_expect_rank(context->thread);
    xtf_regions_start();
    if (!xtf_core_active)
        return false;
    if (!is_numbered)
        return true;
    uint32_t rank = atomic_load(&xtf_core_process->rank);
    if (rank == XTF_WIRE_NONE || rank == context->thread) {
        xtf_core_set_rank(context->thread, atomic_load(&xtf_core_process->world_size));
        return true;
    }
    xtf_core_say("UPC thread %u is in process %u: only programs with one UPC thread in each process are recorded",
                 (unsigned)context->thread, (unsigned)rank);
    return false;
}

static XtfGaspContext *make_context(void)
{
    XtfGaspContext *context = calloc(1, sizeof *context);
    int thread = -1, n_threads = 0;

    if (!context)
        return NULL;
    find_upcalls();
    if (xtf_gasp_upcalls.threads)
        xtf_gasp_upcalls.threads(&thread, &n_threads);
    else
        xtf_core_say("the program lacks gaspu.upc: its accesses, barriers and locks are recorded as mere calls");
    context->on = true;
    context->thread = thread >= 0 ? (uint32_t)thread : XTF_WIRE_NONE;
    context->n_threads = thread >= 0 && n_threads > thread ? (uint32_t)n_threads : 0;
    context->dialect = find_dialect();
    xtf_gasp_number_events(context->dialect, context->numbers, XTF_GASP_NUMBERS);
    if (!start_process(context, thread >= 0)) {
        free(context);
        return NULL;
    }
    find_regions(context);
    context->records = true;
    return context;
}

EXPORT gasp_context_t gasp_init(gasp_model_t model, int *argc, char ***argv)
{
    int saved = errno;
    XtfGaspContext *context = xtf_core_option("FOLDER") && model == GASP_MODEL_UPC ? make_context() : NULL;
    XtfRing *ring = context ? xtf_core_begin_frame() : NULL;

    if (ring) {
        if (context->n_threads > 0)
            define_window(ring, context);
        xtf_core_end();
    }
    errno = saved;
    return context ? context : &unrecorded;
}

EXPORT int gasp_control(gasp_context_t context, int on)
{
    int before = context->on;

    context->on = on != 0;
    if (context->records && before != context->on)
        xtf_core_set_recording(context->on);
    return before;
}
