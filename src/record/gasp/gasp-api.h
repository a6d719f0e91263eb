/*
 * The interface by which compilers of UPC call a tool: GASP 1.5, as the programs that they compile use it.
 *
 * A runtime calls gasp_init() once in each UPC thread, and passes the result to all other functions.
 */
#pragma once

#include <stdarg.h>

typedef enum { GASP_MODEL_UPC } gasp_model_t;
typedef enum { GASP_START, GASP_END, GASP_ATOMIC } gasp_evttype_t;
typedef struct _gasp_context_S *gasp_context_t;

gasp_context_t gasp_init(gasp_model_t model, int *argc, char ***argv);
void gasp_event_notify(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file, int line,
                       int column, ...);
void gasp_event_notifyVA(gasp_context_t context, unsigned int tag, gasp_evttype_t type, const char *file, int line,
                         int column, va_list arguments);
/* Switches the thread's events off or on. Returns the switch before. */
int gasp_control(gasp_context_t context, int on);
/* Returns the tag of a new event of the program. `description` is a format of printf() for the event's arguments. */
unsigned int gasp_create_event(gasp_context_t context, const char *name, const char *description);
