/*
 * trace-causes TRACE.xtf: prints the waits and delays that an analysis has added to a trace, and the causes of each
 * wait.
 *
 * The program prints a line `wait KIND LOCATION SEQ AMOUNT INDIRECT PROPAGATING PATH` or `delay KIND LOCATION SEQ SHORT
 * LONG PATH` for each row. Tabs separate a path's regions. After each wait with known causes, a line `causes KIND
 * LOCATION SEQ AMOUNT DIRECT INDIRECT UNEXPLAINED CULPRIT CULPRIT-SEQ` follows. Lines `cause KIND LOCATION
 * STEPS COST PATH` follow, with the location that is charged.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/waits/wait-causes.h"

typedef struct {
    XtfTrace *trace;
    const XtfLocations *locations;
    const XtfTable *regions, *contexts;
    XtfTraceContext context;
} Printer;

static uint64_t value_of(const XtfSchema *schema, const char *name, const uint8_t *row)
{
    return xtf_field_get(xtf_schema_field(schema, name), row);
}

static bool print_path(const Printer *printer, uint64_t context, GError **error)
{
    const char *name = "(outside)";

    if (context < printer->contexts->n_rows) {
        const uint8_t *row = printer->contexts->rows + context * printer->contexts->schema->row_size;
        uint64_t parent = value_of(printer->contexts->schema, "parent", row);
        uint64_t region = value_of(printer->contexts->schema, "region", row);
        if (parent != UINT32_MAX && !print_path(printer, parent, error))
            return false;
        row = printer->regions->rows + region * printer->regions->schema->row_size;
        uint32_t string = (uint32_t)value_of(printer->regions->schema, "name", row);
        if (!xtf_trace_string(printer->trace, string, &name, error))
            return false;
    }
    printf("\t%s", name);
    return true;
}

static const char *kind_of(const XtfSchema *schema, const uint8_t *row)
{
    return xtf_schema_field_by_role(schema, XTF_ROLE_EVENT)->labels[value_of(schema, "event", row)];
}

static bool print_causes(Printer *printer, uint32_t location, uint64_t n, uint64_t seq, const char *kind,
                         GError **error)
{
    g_auto(XtfWaitCauses) causes = {0};

    if (!xtf_wait_causes_find(&causes, &printer->context, location, n, error))
        return false;
    if (causes.known)
        printf("causes %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
               "\n",
               kind, printer->locations->all[location].id, seq, causes.amount, causes.direct, causes.indirect,
               causes.unexplained, printer->locations->all[causes.culprit].id, causes.culprit_seq);
    for (uint32_t i = 0; i < causes.n; i++) {
        const XtfWaitCause *cause = &causes.causes[i];
        printf("cause %s %" PRIu64 " %" PRIu64 " %" PRIu64, kind, printer->locations->all[cause->location].id,
               cause->steps, cause->cost);
        if (!print_path(printer, cause->callpath, error))
            return false;
        printf("\n");
    }
    return true;
}

/* Prints the rows of one array. */
static bool print_rows(Printer *printer, uint32_t location, const char *type, const char *word,
                       const char *const *fields, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(printer->trace, type);
    XtfArray array;
    bool found = false;

    if (!schema ||
        !xtf_trace_find_array(printer->trace, printer->locations->all[location].id, schema->id, &array, &found, error))
        return schema == NULL;
    g_autofree uint8_t *row = g_malloc(schema->row_size);
    for (uint64_t n = 0; found && n < array.n_rows; n++) {
        if (!xtf_array_row(&array, n, row, error))
            return false;
        printf("%s %s %" PRIu64, word, kind_of(schema, row), array.location);
        for (const char *const *field = fields; *field; field++)
            printf(" %" PRIu64, value_of(schema, *field, row));
        if (!print_path(printer, value_of(schema, "context", row), error))
            return false;
        printf("\n");
        if (*word == 'w' &&
            !print_causes(printer, location, n, value_of(schema, "seq", row), kind_of(schema, row), error))
            return false;
    }
    return true;
}

static bool print_all(Printer *printer, GError **error)
{
    static const char *const wait_fields[] = {"seq", "amount", "indirect", "propagating", NULL};
    static const char *const delay_fields[] = {"seq", "short_term", "long_term", NULL};

    printer->locations = xtf_trace_context_locations(&printer->context, error);
    if (!printer->locations || !xtf_trace_table(printer->trace, "regions", &printer->regions, error) ||
        !xtf_trace_table(printer->trace, "contexts", &printer->contexts, error))
        return false;
    for (uint32_t i = 0; i < printer->locations->n; i++) {
        if (!print_rows(printer, i, XTF_DERIVED_WAITS, "wait", wait_fields, error) ||
            !print_rows(printer, i, XTF_DERIVED_DELAYS, "delay", delay_fields, error))
            return false;
    }
    return true;
}

static bool is_reserved(const XtfSchema *schema)
{
    return schema == NULL;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = argc == 2 ? xtf_trace_open(argv[1], NULL, &error) : NULL;
    Printer printer = {.trace = trace};

    if (trace) {
        bool good =
            xtf_trace_context_init(&printer.context, trace, false, is_reserved, &error) && print_all(&printer, &error);
        xtf_trace_context_finish(&printer.context);
        if (good)
            return 0;
    }
    fprintf(stderr, "%s\n", error ? error->message : "usage: trace-causes TRACE.xtf");
    return 1;
}
