#include "src/pictures/frames/run.h"

#include <inttypes.h>

#include "src/model/properties.h"
#include "src/model/schemas.h"
#include "src/tables/totals/sample-growth.h"
#include "src/trace/text/escape.h"

enum { WHAT, VALUE, UNIT };
static const XtfColumn columns[] = {
    XTF_COLUMN("what", XTF_COLUMN_TEXT, NULL, "name of the fact"),
    XTF_COLUMN("value", XTF_COLUMN_ANY, NULL, "the fact"),
    XTF_COLUMN("unit", XTF_COLUMN_WORD, NULL, "unit of the value"),
};

const XtfTableDeclaration xtf_table_run = XTF_TABLE("run", "facts of the run, and which frame this is", columns);

enum {
    VALUE_MAX = 200, /* most bytes of a property */
};

static void add_number_fact(XtfLines *lines, const char *name, uint64_t number)
{
    xtf_lines_word(lines, name);
    xtf_lines_number(lines, number);
    xtf_lines_none(lines);
}

/* Adds a property of the trace; none if the trace lacks it. */
static void add_property_fact(XtfLines *lines, const char *name, GHashTable *properties, const char *property)
{
    const char *value = xtf_property(properties, property);

    xtf_lines_word(lines, name);
    if (value && *value)
        xtf_lines_text(lines, value, 0);
    else
        xtf_lines_none(lines);
    xtf_lines_none(lines);
}

static void add_time_fact(XtfLines *lines, const char *name, uint64_t ticks)
{
    xtf_lines_word(lines, name);
    xtf_lines_ticks(lines, ticks);
    xtf_lines_word(lines, xtf_time_scale_unit(lines->scale));
}

static void add_gauge(XtfLines *lines, const char *name, bool is_known, double value)
{
    xtf_lines_word(lines, name);
    if (is_known)
        xtf_lines_real(lines, "%.10g", value);
    else
        xtf_lines_none(lines);
    xtf_lines_none(lines);
}

/* Adds the memory and the speed that an OpenTS program recorded: its last samples before `to`, summed over processes.
 */
static bool add_gauges(XtfLines *lines, XtfTraceContext *context, const XtfLocations *locations, uint64_t to,
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
    for (unsigned j = 0; j < G_N_ELEMENTS(fields); j++)
        add_gauge(lines, fields[j], known[j], sums[j]);
    return true;
}

bool xtf_run_table(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, XtfTableOutput *output,
                   GError **error)
{
    XtfTraceContext *context = views->context;
    const XtfTimeScale *scale = &context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);

    if (!locations)
        return false;
    xtf_grid_init(&output->grid, &xtf_table_run);
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(&output->grid, columns[i].name, 0);
    XtfLines *lines = xtf_table_output_begin(output, scale);
    add_property_fact(lines, "command", context->properties, "command");
    add_property_fact(lines, "start", context->properties, "start");
    add_number_fact(lines, "processes", locations->n_procs);
    add_time_fact(lines, "duration", scale->end - scale->origin);
    add_number_fact(lines, "frames", n);
    add_number_fact(lines, "frame", k);
    add_time_fact(lines, "from", MAX(from, scale->origin) - scale->origin);
    add_time_fact(lines, "to", CLAMP(to, scale->origin, scale->end) - scale->origin);
    return add_gauges(lines, context, locations, to, error) && xtf_lines_finish(lines, error);
}

GString *xtf_run_text(const XtfTableOutput *output)
{
    GString *text = g_string_new(NULL);

    for (uint64_t i = 0; i < xtf_rows_n(&output->rows); i++) {
        const XtfRowCell *cells = xtf_rows_get(&output->rows, i);
        bool has_unit = cells[UNIT].type != XTF_ROW_NOTHING;
        g_autofree char *value = xtf_text_shown(xtf_row_shown(&cells[VALUE]), VALUE_MAX);
        g_string_append_printf(text, "%-10s %s%s%s\n", cells[WHAT].text, value, has_unit ? " " : "", cells[UNIT].text);
    }
    return text;
}
