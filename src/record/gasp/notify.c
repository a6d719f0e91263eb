/* Events: their arguments, and the function that records each kind. */
#include <errno.h>

#include "src/record/gasp/context.h"

#define EXPORT __attribute__((visibility("default")))

/* Reads the arguments that the letters of XTF_GASP_EVENTS describe. */
static void read_arguments(uint64_t *values, const char *letters, va_list arguments)
{
    for (unsigned i = 0; letters[i] && i < XTF_GASP_ARGUMENTS_MAX; i++)
        switch (letters[i]) {
        case 'i':
            values[i] = (uint64_t)va_arg(arguments, int);
            break;
        case 'z':
            values[i] = va_arg(arguments, size_t);
            break;
        default:
            values[i] = (uintptr_t)va_arg(arguments, void *);
        }
}

/* Returns the index of the region of a function. Names and files are texts that the compiler has made, so their
 * addresses do not change. */
static uint32_t region_of_function(XtfGaspContext *context, const XtfGaspCall *call)
{
    const char *name = (const char *)(uintptr_t)call->arguments[0], *file = call->file;
    uintptr_t mixed = (uintptr_t)name ^ (uintptr_t)name >> 8;
    XtfGaspFunction *function = &context->functions[mixed % XTF_GASP_FUNCTIONS];

    if (__builtin_expect(function->name != name || function->file != file, 0)) {
        uint32_t region = name ? xtf_regions_named(name, file ? file : "", call->line > 0 ? (uint32_t)call->line : 0,
                                                   XTF_GASP_ROLE_FUNCTION, XTF_REGIONS_PARADIGM_USER)
                               : XTF_REGIONS_NONE;
        *function = (XtfGaspFunction){name, file, region};
    }
    return function->region;
}

static void record_start(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    XtfGaspKind kind = xtf_gasp_events[call->id].kind;

    if (kind >= XTF_GASP_GET && kind <= XTF_GASP_SYNC)
        xtf_gasp_access_start(ring, time, context, call);
    else if (kind >= XTF_GASP_NOTIFY && kind <= XTF_GASP_UNLOCK)
        xtf_gasp_operation_start(ring, time, context, call);
    else if (call->id == XTF_GASP_ALLOC_EVENT)
        xtf_gasp_attribute(ring, time, XTF_WIRE_ATTRIBUTE_BYTES, call->arguments[0]);
    else if (call->id == XTF_GASP_GLOBAL_ALLOC_EVENT)
        xtf_gasp_attribute(ring, time, XTF_WIRE_ATTRIBUTE_BYTES, call->arguments[0] * call->arguments[1]);
}

static void record_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    XtfGaspKind kind = xtf_gasp_events[call->id].kind;

    if (kind >= XTF_GASP_GET && kind <= XTF_GASP_SYNC)
        xtf_gasp_access_end(ring, time, context, call);
    else if (kind >= XTF_GASP_NOTIFY && kind <= XTF_GASP_UNLOCK)
        xtf_gasp_operation_end(ring, time, context, call);
}

static void start_call(XtfGaspContext *context, const XtfGaspCall *call, uint32_t region)
{
    XtfRing *ring = xtf_regions_begin();

    if (!ring)
        return;
    uint64_t time = xtf_regions_enter(ring, region);
    if (time > 0 && !xtf_core_is_off(ring))
        record_start(ring, time, context, call);
    xtf_core_end();
}

static void end_call(XtfGaspContext *context, const XtfGaspCall *call, uint32_t region)
{
    XtfRing *ring = xtf_regions_begin_end();

    if (!ring)
        return;
    uint64_t time = xtf_core_now();
    if (!xtf_core_is_off(ring) && xtf_regions_is_open(region))
        record_end(ring, time, context, call);
    xtf_regions_leave_at(ring, time, region);
    xtf_core_end();
}

/* Waits until the collector has written all records, since the program ends. */
static void drain_at_exit(void)
{
    if (xtf_core_process->has_mpi)
        xtf_core_drain();
    else
        xtf_core_finish();
}

/* Says once that the program was linked with the library of another compiler. */
static void report_unknown(const XtfGaspContext *context, unsigned tag)
{
    static _Atomic bool said;
    int saved = errno;

    if (!atomic_exchange(&said, true))
        xtf_core_say("event %u of UPC is not known: is %s the library of the program's compiler?", tag,
                     context->dialect == XTF_GASP_BERKELEY ? "libxtf-gasp-bupc" : "libxtf-gasp-gupc");
    errno = saved;
}

static inline __attribute__((always_inline)) void
notify_event(XtfGaspContext *context, unsigned tag, gasp_evttype_t type, const char *file, int line, va_list arguments)
{
    unsigned first_user = xtf_gasp_user_first(context->dialect);
    XtfGaspCall call = {.id = tag < XTF_GASP_NUMBERS ? context->numbers[tag] : 0, .file = file, .line = line};

    if (tag >= first_user && tag - first_user < context->n_user_events) {
        xtf_gasp_user_event(context, tag - first_user, type, arguments);
        return;
    }
    if (call.id == XTF_GASP_NO_EVENT) {
        report_unknown(context, tag);
        return;
    }
    const XtfGaspEvent *event = &xtf_gasp_events[call.id];
    if (event->kind == XTF_GASP_SKIP)
        return;
    if (type != GASP_ATOMIC) {
        read_arguments(call.arguments, type == GASP_END ? event->end : event->start, arguments);
        uint32_t region =
            event->kind == XTF_GASP_FUNCTION ? region_of_function(context, &call) : context->regions[call.id];
        if (region != XTF_REGIONS_NONE)
            (type == GASP_START ? start_call : end_call)(context, &call, region);
    }
    if (event->kind == XTF_GASP_EXIT && type != GASP_START)
        drain_at_exit();
}

EXPORT void gasp_event_notifyVA(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file,
                                int line, int column, va_list arguments)
{
    if (context->records && !context->in_upcall)
        notify_event(context, tag, type, file, line, arguments);
}

EXPORT void gasp_event_notify(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file, int line,
                              int column, ...)
{
    va_list arguments;

    if (!context->records || context->in_upcall)
        return;
    va_start(arguments, column);
    notify_event(context, tag, type, file, line, arguments);
    va_end(arguments);
}
