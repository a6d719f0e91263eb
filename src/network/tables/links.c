#include "src/network/tables/links.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/field-load.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

#define AMOUNT       "amount"
#define MICROSECONDS 1e6

const char *const xtf_links_preferred[] = {"median", "average", "min", XTF_LINK_REPEAT, "deviation", AMOUNT, NULL};

bool xtf_link_type_find(XtfLinkType *type, const XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_RECORD_LINKS);

    if (!context->scale.bytes || !schema || schema->kind != XTF_SCHEMA_RECORD)
        return false;
    *type = (XtfLinkType){.schema = schema,
                          .peer = xtf_schema_field_by_role(schema, XTF_ROLE_PEER),
                          .event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
                          .value = xtf_schema_field(schema, "value")};
    return type->peer && type->event && type->value && type->value->type == XTF_TYPE_F64;
}

int xtf_link_statistic(const XtfLinkType *type, const char *name)
{
    for (uint32_t i = 0; i < type->event->n_labels; i++) {
        g_autofree char *label = g_ascii_strdown(type->event->labels[i], -1);
        if (g_str_equal(label, name))
            return (int)i;
    }
    return -1;
}

double xtf_link_factor(const XtfLinkType *type, int statistic)
{
    return statistic >= 0 && statistic == xtf_link_statistic(type, AMOUNT) ? 1 : MICROSECONDS;
}

XtfSelection *xtf_links_select(const XtfSelection *selection, const XtfLinkType *type, int statistic)
{
    XtfSelection *links = xtf_selection_in_type(selection, type->schema->id);

    if (statistic < 0)
        return links;
    g_autoptr(XtfNumberSet) set = xtf_number_set_of_one((uint64_t)statistic);
    XtfSelection *narrowed = xtf_selection_by(links, XTF_BY_KIND, set);
    xtf_selection_unref(links);
    return narrowed;
}

/* Determines if the senders of a selection have links of a statistic. Ignores the receivers: a count by receiver would
 * cost more than reading all rows. */
static bool has_statistic(XtfResolver *resolver, const XtfSelection *selection, const XtfLinkType *type, int statistic,
                          bool *has, GError **error)
{
    g_autoptr(XtfSelection) all_receivers = xtf_selection_without(selection, XTF_BY_PEER);
    g_autoptr(XtfSelection) links = xtf_links_select(all_receivers, type, statistic);
    uint64_t n = 0;

    if (!xtf_resolver_count(resolver, links, &n, error))
        return false;
    *has = n > 0;
    return true;
}

bool xtf_links_statistic(XtfResolver *resolver, const XtfSelection *selection, const XtfLinkType *type, int *statistic,
                         GError **error)
{
    bool has = false;
    uint64_t n;

    *statistic = -1;
    if (selection->by[XTF_BY_KIND]) {
        if (xtf_number_set_single(selection->by[XTF_BY_KIND], &n) && n < type->event->n_labels)
            *statistic = (int)n;
        return true;
    }
    for (unsigned i = 0; xtf_links_preferred[i] && !has; i++) {
        int candidate = xtf_link_statistic(type, xtf_links_preferred[i]);
        if (candidate >= 0 && !has_statistic(resolver, selection, type, candidate, &has, error))
            return false;
        if (has)
            *statistic = candidate;
    }
    return true;
}

static bool load_nodes(XtfLinkSides *sides, XtfTrace *trace, GError **error)
{
    const XtfTable *table;

    sides->nodes = g_hash_table_new(g_direct_hash, g_direct_equal);
    if (!xtf_trace_table(trace, XTF_TABLE_PROCESSES, &table, error))
        return false;
    const XtfField *proc = table ? xtf_schema_field(table->schema, "proc") : NULL;
    const XtfField *node = table ? xtf_schema_field(table->schema, "system_tree_node") : NULL;
    for (uint64_t i = 0; proc && node && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (!xtf_field_is_none(node, row))
            g_hash_table_insert(sides->nodes, GSIZE_TO_POINTER(xtf_field_get(proc, row)),
                                GSIZE_TO_POINTER(xtf_field_get(node, row) + 1));
    }
    return true;
}

bool xtf_link_on_one_node(const XtfLinkSides *sides, uint32_t sender, uint32_t receiver)
{
    gpointer a = g_hash_table_lookup(sides->nodes, GSIZE_TO_POINTER(xtf_link_sender(sides, sender)));

    return a && a == g_hash_table_lookup(sides->nodes, GSIZE_TO_POINTER(sides->receivers[receiver]));
}

bool xtf_link_sides_init(XtfLinkSides *sides, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    const XtfNumberSet *peers = selection->by[XTF_BY_PEER];

    *sides = (XtfLinkSides){.locations = locations};
    if (!locations)
        return false;
    sides->senders = xtf_selection_locations(selection, locations);
    sides->receivers = g_new(uint64_t, locations->n_procs + 1);
    for (uint32_t i = 0; i < locations->n_procs; i++)
        if (!peers || xtf_number_set_contains(peers, locations->procs[i]))
            sides->receivers[sides->n_receivers++] = locations->procs[i];
    return load_nodes(sides, context->trace, error);
}

void xtf_link_sides_finish(XtfLinkSides *sides)
{
    g_clear_pointer(&sides->senders, g_array_unref);
    g_clear_pointer(&sides->receivers, g_free);
    g_clear_pointer(&sides->nodes, g_hash_table_unref);
}

/* Tries the receiver's number as its index first: usually, the receivers are all processes from 0 on. */
uint32_t xtf_link_receiver(const XtfLinkSides *sides, uint64_t proc)
{
    uint32_t low = 0, high = sides->n_receivers;

    if (proc < high && sides->receivers[proc] == proc)
        return (uint32_t)proc;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sides->receivers[middle] < proc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sides->n_receivers && sides->receivers[low] == proc ? low : UINT32_MAX;
}

typedef struct {
    const XtfLinkType *type;
    const XtfLinkSides *sides;
    int statistic;
    const bool *wanted; /* by index of receiver: true if its links are visited */
    XtfLinkVisit visit;
    void *data;
} Visit;

static void visit_link_rows(const Visit *visit, uint32_t sender, const uint8_t *row, uint64_t n)
{
    const XtfLinkType *type = visit->type;
    const XtfFieldLoad event = xtf_field_load(type->event), peer = xtf_field_load(type->peer);
    const XtfFieldLoad value = xtf_field_load(type->value), length = xtf_field_load(&type->schema->fields[0]);
    const uint32_t row_size = type->schema->row_size;
    XtfLink link = {.sender = sender};

    for (; n > 0; n--, row += row_size) {
        link.event = (unsigned)xtf_load_bits(&event, row);
        if (visit->statistic >= 0 && (int)link.event != visit->statistic)
            continue;
        link.receiver = xtf_link_receiver(visit->sides, xtf_load_bits(&peer, row));
        link.length = xtf_load_bits(&length, row);
        uint64_t bits = xtf_load_bits(&value, row);
        memcpy(&link.value, &bits, sizeof link.value);
        if (link.receiver != UINT32_MAX && visit->wanted[link.receiver])
            visit->visit(&link, visit->data);
    }
}

static bool visit_link_span(const Visit *visit, const XtfSpan *span, uint32_t sender, GError **error)
{
    g_auto(XtfSpanReader) reader;

    xtf_span_reader_init(&reader, span);
    if (!xtf_span_reader_seek(&reader, span->lo, error))
        return false;
    while (reader.n_rows) {
        visit_link_rows(visit, sender, xtf_cursor_row(&reader.cursor), reader.n_rows);
        if (!xtf_span_reader_next(&reader, error))
            return false;
    }
    return true;
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* Returns the index of a location among the senders; UINT32_MAX if it is not one of them. */
static uint32_t find_sender(const XtfLinkSides *sides, uint32_t location)
{
    guint index;

    return g_array_binary_search(sides->senders, &location, compare_indices, &index) ? index : UINT32_MAX;
}

/* Returns a flag for each receiver of the sides: true if the selection has it. The caller frees the array. */
static bool *mark_receivers(const XtfSelection *links, const XtfLinkSides *sides)
{
    const XtfNumberSet *peers = links->by[XTF_BY_PEER];
    bool *wanted = g_new(bool, sides->n_receivers + 1);

    for (uint32_t i = 0; i < sides->n_receivers; i++)
        wanted[i] = !peers || xtf_number_set_contains(peers, sides->receivers[i]);
    return wanted;
}

/* Skips rows of other statistics and receivers. These lie between the wanted rows, and queries of totals by statistic
 * and peer would cost more than reading them. */
bool xtf_links_visit(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides, const XtfLinkPart *part,
                     XtfLinkVisit visit, void *data, GError **error)
{
    g_autoptr(XtfSelection) all_receivers = xtf_selection_without(part->links, XTF_BY_PEER);
    g_autoptr(XtfSelection) links =
        part->statistic < 0 ? xtf_selection_ref(all_receivers) : xtf_selection_without(all_receivers, XTF_BY_KIND);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, links, error);
    g_autofree bool *wanted = mark_receivers(part->links, sides);
    const Visit row_visit = {type, sides, part->statistic, wanted, visit, data};

    for (uint32_t i = 0; spans && i < spans->n; i++) {
        const XtfSpan *span = &spans->spans[i];
        uint32_t sender = find_sender(sides, span->tag);
        if (span->array.schema == type->schema && sender >= part->first && sender - part->first < part->n &&
            !visit_link_span(&row_visit, span, sender, error))
            return false;
    }
    return spans;
}

typedef struct {
    double *values;
    uint32_t first, n_receivers;
} Matrix;

static void put_value(const XtfLink *link, void *data)
{
    const Matrix *matrix = data;

    matrix->values[(size_t)(link->sender - matrix->first) * matrix->n_receivers + link->receiver] = link->value;
}

bool xtf_links_fail_too_large(const XtfLinkSides *sides, GError **error)
{
    return xtf_fail(error, XTF_ERROR_TOO_LARGE, "not enough memory for a matrix of %u senders and %u receivers",
                    sides->senders->len, sides->n_receivers);
}

double *xtf_links_matrix(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides,
                         const XtfLinkPart *part, GError **error)
{
    size_t size = (size_t)part->n * sides->n_receivers;
    g_autofree double *values = g_try_new(double, size + 1);
    Matrix matrix = {values, part->first, sides->n_receivers};

    if (!values) {
        xtf_links_fail_too_large(sides, error);
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        values[i] = NAN;
    if (!xtf_links_visit(resolver, type, sides, part, put_value, &matrix, error))
        return NULL;
    return g_steal_pointer(&values);
}
