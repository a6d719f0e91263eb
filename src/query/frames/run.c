#include "src/query/frames/run.h"

#include <inttypes.h>

#include "src/model/properties.h"
#include "src/query/text/escape.h"

enum {
    VALUE_MAX = 200, /* bytes of a property */
};

static void add_line(GString *text, const char *what, const char *value)
{
    g_string_append_printf(text, "%-10s %s\n", what, value);
}

static void add_number(GString *text, const char *what, uint64_t number)
{
    g_string_append_printf(text, "%-10s %" PRIu64 "\n", what, number);
}

/* Of the trace; a dash if it does not say. */
static void add_property(GString *text, const char *what, XtfTrace *trace, const char *name)
{
    g_autofree char *value = xtf_trace_property(trace, name);
    g_autofree char *shown = value && *value ? xtf_text_shown(value, VALUE_MAX) : NULL;

    add_line(text, what, shown ? shown : "-");
}

static void add_time(GString *text, const char *what, const XtfTimeScale *scale, uint64_t ticks)
{
    char time[XTF_TIME_TEXT_MAX], *end = time + sizeof time - 1;

    *end = '\0';
    g_string_append_printf(text, "%-10s %s %s\n", what, xtf_time_scale_put(scale, ticks, end),
                           xtf_time_scale_unit(scale));
}

GString *xtf_run_text(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, GError **error)
{
    XtfTraceContext *context = views->context;
    const XtfTimeScale *scale = &context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);

    if (!locations)
        return NULL;
    GString *text = g_string_new(NULL);
    add_property(text, "command", context->trace, "command");
    add_property(text, "start", context->trace, "start");
    add_number(text, "processes", locations->n_procs);
    add_time(text, "duration", scale, scale->end - scale->origin);
    add_number(text, "frames", n);
    add_number(text, "frame", k);
    add_time(text, "from", scale, MAX(from, scale->origin) - scale->origin);
    add_time(text, "to", scale, CLAMP(to, scale->origin, scale->end) - scale->origin);
    return text;
}
