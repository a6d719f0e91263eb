/*
 * Prints the declarations of src/model as JSON, for test_vocabulary.py: all schemas, the lists of labels, and the kinds
 * of waits.
 */
#include <glib.h>
#include <string.h>

#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

#define LISTS(LIST)             \
    LIST(bases)                 \
    LIST(collective_operations) \
    LIST(defined_tables)        \
    LIST(group_types)           \
    LIST(interrupt_modes)       \
    LIST(io_access_modes)       \
    LIST(io_file_kinds)         \
    LIST(io_operation_modes)    \
    LIST(io_paradigm_classes)   \
    LIST(io_seek_options)       \
    LIST(location_types)        \
    LIST(lock_types)            \
    LIST(measurement_modes)     \
    LIST(metric_class_kinds)    \
    LIST(metric_modes)          \
    LIST(metric_occurrences)    \
    LIST(metric_scopes)         \
    LIST(metric_types)          \
    LIST(move_directions)       \
    LIST(paradigm_classes)      \
    LIST(paradigm_names)        \
    LIST(parameter_types)       \
    LIST(process_types)         \
    LIST(property_owners)       \
    LIST(recorder_kinds)        \
    LIST(region_roles)          \
    LIST(remark_kinds)          \
    LIST(rma_atomics)           \
    LIST(rma_sync_types)        \
    LIST(system_tree_domains)   \
    LIST(value_types)           \
    LIST(wait_parts)

/* Prints "key": and a string; a comma before it unless it is the first of its object. */
static void print_string(const char *key, const char *value, bool first)
{
    g_assert(!strpbrk(value, "\"\\\n"));
    g_print("%s\"%s\": \"%s\"", first ? "" : ", ", key, value);
}

static void print_labels(const char *key, const char *const *labels)
{
    g_print("\"%s\": [", key);
    for (unsigned i = 0; labels && labels[i]; i++)
        g_print("%s\"%s\"", i > 0 ? ", " : "", labels[i]);
    g_print("]");
}

static void print_field(const XtfField *field)
{
    static const char *const types[] = {"", "U8", "U16", "U32", "U64", "I32", "I64", "F64", "STRING"};

    g_print("{");
    print_string("name", field->name, true);
    print_string("type", types[field->type], false);
    print_string("role", field->role, false);
    print_string("unit", field->unit, false);
    print_string("refers_to", field->refers_to, false);
    g_print(", \"flags\": %u, ", field->flags);
    print_labels("labels", (const char *const *)field->labels);
    g_print("}");
}

static void print_numbers(const char *key, const uint8_t *numbers, unsigned n)
{
    g_print(", \"%s\": [", key);
    for (unsigned i = 0; i < n; i++)
        g_print("%s%u", i > 0 ? ", " : "", numbers[i]);
    g_print("]");
}

static void print_aggregate(const XtfAggregate *aggregate)
{
    g_print("{\"frames\": %s, \"extremes\": %s, \"filters\": %s, \"typed_by\": %u",
            aggregate->kind == XTF_AGGREGATE_FRAMES ? "true" : "false", aggregate->extremes ? "true" : "false",
            aggregate->filters ? "true" : "false", aggregate->typed_by);
    g_print(", \"reals\": %" G_GUINT64_FORMAT ", \"signeds\": %" G_GUINT64_FORMAT, aggregate->reals,
            aggregate->signeds);
    print_numbers("keys", aggregate->keys, aggregate->n_keys);
    print_numbers("values", aggregate->values, aggregate->n_values);
    g_print("}");
}

static void print_schema(const XtfSchema *schema)
{
    static const char *const kinds[] = {"", "record", "side", "table", "derived"};

    g_print("{");
    print_string("name", schema->name, true);
    print_string("kind", kinds[schema->kind], false);
    g_print(", \"fields\": [");
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        g_print(f > 0 ? ",\n    " : "\n    ");
        print_field(&schema->fields[f]);
    }
    g_print("], \"aggregates\": [");
    for (uint32_t i = 0; i < schema->n_aggregates; i++) {
        g_print(i > 0 ? ",\n    " : "\n    ");
        print_aggregate(&schema->aggregates[i]);
    }
    g_print("]}");
}

static void print_kind(const XtfWaitKind *kind)
{
    static const char *const rules[] = {"nobody", "excess", "excess in the team", "meanwhile"};

    g_print("{");
    print_string("name", kind->name, true);
    print_string("sentence", kind->sentence, false);
    print_string("waiter", kind->waiter, false);
    print_string("culprit", kind->culprit ? kind->culprit : "none", false);
    print_string("seq", kind->seq, false);
    print_string("match", kind->match ? kind->match : "none", false);
    print_string("rule", rules[kind->rule], false);
    g_print(", \"limited\": %s}", kind->limited ? "true" : "false");
}

int main(void)
{
    g_print("{\"lists\": {\n");
#define LIST(name)                   \
    print_labels(#name, xtf_##name); \
    g_print(",\n");
    LISTS(LIST)
    g_print("\"\": []},\n\"schemas\": [\n");
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        g_print(tag > 0 ? ",\n" : "");
        print_schema(xtf_model_fullest_schema(tag));
    }
    g_print("],\n\"kinds\": [\n");
    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        g_print(kind > 0 ? ",\n" : "");
        print_kind(&xtf_wait_kinds[kind]);
    }
    g_print("]}\n");
    return 0;
}
