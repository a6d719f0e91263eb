/*
 * The library that UPC programs are linked with: libxtf-gasp-bupc or libxtf-gasp-gupc. Its functions do nothing. Under
 * `xtf record`, the recorder's own functions take their place, since its module is loaded first.
 */
#include <stddef.h>

#include "src/record/gasp/gasp-api.h"
#include "src/record/gasp/gaspu.h"

/* Weak, as the recorder defines the functions, too. */
#define EXPORT __attribute__((visibility("default"), weak))

#define EXPORT_DATA __attribute__((visibility("default")))

EXPORT_DATA extern const char xtf_gasp_dialect[];
EXPORT_DATA extern void *const xtf_gasp_references[];

/* The compiler whose numbers of events the program uses. */
const char xtf_gasp_dialect[] = XTF_GASP_DIALECT;

/* References to gaspu.upc: the linker keeps functions of the program visible only if a library refers to them. */
#pragma weak xtf_gaspu_threads
#pragma weak xtf_gaspu_locate
#pragma weak xtf_gaspu_sync_mode
void *const xtf_gasp_references[] = {(void *)xtf_gaspu_threads, (void *)xtf_gaspu_locate, (void *)xtf_gaspu_sync_mode};

EXPORT gasp_context_t gasp_init(gasp_model_t model, int *argc, char ***argv)
{
    static char context;

    return (gasp_context_t)(void *)&context;
}

EXPORT void gasp_event_notify(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file, int line,
                              int column, ...)
{
}

EXPORT void gasp_event_notifyVA(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file,
                                int line, int column, va_list arguments)
{
}

EXPORT int gasp_control(gasp_context_t context, int on)
{
    static __thread int before = 1;
    int was = before;

    before = on != 0;
    return was;
}

EXPORT unsigned int gasp_create_event(gasp_context_t context, const char *name, const char *description)
{
    static __thread unsigned n;

    return XTF_GASP_USER_FIRST + n++ % XTF_GASP_USER_N;
}
