#include "src/pictures/frames/run.h"

#include <inttypes.h>

#include "src/model/properties.h"
#include "src/model/schemas.h"
#include "src/tables/totals/sample-growth.h"
#include "src/trace/text/escape.h"

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
static void add_property(GString *text, const char *what, GHashTable *properties, const char *name)
{
    const char *value = xtf_property(properties, name);
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

/* What a program of OpenTS says of its memory and speed: the last samples before `to`, of all processes together. */
static bool add_gauges(GString *text, XtfTraceContext *context, const XtfLocations *locations, uint64_t to,
                       GError **error)
{
    static const char *const fields[] = {"mbytes", "mflops"};
    g_auto(XtfLocationArrays) arrays = {0};
    double sums[G_N_ELEMENTS(fields)] = {0};
    bool known[G_N_ELEMENTS(fields)] = {false}, found;
    uint8_t row[XTF_ROW_MAX];
    XtfSamples samples;

    if (!xtf_samples_init(&samples, context, xtf_model_schema(XTF_MODEL_RESOURCES)->name,
                          (const char *const[]){"tasks", NULL}))
        return true;
    for (uint32_t i = 0; i < locations->n; i++) {
        if (!xtf_location_arrays_load(&arrays, context, &locations->all[i], error) ||
            !xtf_samples_last(&samples, &arrays, NULL, to, row, &found, error))
            return false;
        for (unsigned j = 0; found && j < G_N_ELEMENTS(fields); j++) {
            const XtfField *field = xtf_schema_field(samples.ref.schema, fields[j]);
            if (!field || field->type != XTF_TYPE_F64 || xtf_field_is_none(field, row))
                continue;
            sums[j] += xtf_field_get_f64(field, row);
            known[j] = true;
        }
    }
    for (unsigned j = 0; j < G_N_ELEMENTS(fields); j++) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        add_line(text, fields[j], known[j] ? g_ascii_formatd(number, sizeof number, "%.10g", sums[j]) : "-");
    }
    return true;
}

GString *xtf_run_text(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, GError **error)
{
    XtfTraceContext *context = views->context;
    const XtfTimeScale *scale = &context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);

    if (!locations)
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    add_property(text, "command", context->properties, "command");
    add_property(text, "start", context->properties, "start");
    add_number(text, "processes", locations->n_procs);
    add_time(text, "duration", scale, scale->end - scale->origin);
    add_number(text, "frames", n);
    add_number(text, "frame", k);
    add_time(text, "from", scale, MAX(from, scale->origin) - scale->origin);
    add_time(text, "to", scale, CLAMP(to, scale->origin, scale->end) - scale->origin);
    return add_gauges(text, context, locations, to, error) ? g_steal_pointer(&text) : NULL;
}
