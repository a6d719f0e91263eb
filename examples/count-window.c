/*
 * Counts records in a window of time: count-window FILE TYPE FROM TO
 *
 * Prints the number of records of a type in [FROM, TO), ticks, for each location. No record is read for it: a count
 * is two descents of the index, however wide the window.
 */
#include <libxtf/xtf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool count_array(XtfTrace *trace, uint64_t rank, const XtfSchema *schema, uint64_t from, uint64_t to,
                        uint64_t *total, GError **error)
{
    XtfArray array;
    uint64_t size;

    if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
        return false;
    if (array.schema != schema)
        return true;
    if (!xtf_array_size_t(&array, from, to, &size, error))
        return false;
    printf("location %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT "\n", array.location, size);
    *total += size;
    return true;
}

static bool count_window(const char *path, const char *type, uint64_t from, uint64_t to, GError **error)
{
    uint64_t total = 0;
    XtfCounters counters;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace)
        return false;
    const XtfSchema *schema = xtf_trace_find_schema(trace, type);
    if (!schema) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "%s has no records of type %s", path, type);
        return false;
    }
    for (uint64_t i = 0; i < xtf_trace_n_arrays(trace); i++) {
        if (!count_array(trace, i, schema, from, to, &total, error))
            return false;
    }
    xtf_trace_get_counters(trace, &counters);
    printf("all: %" G_GUINT64_FORMAT "\n", total);
    fprintf(stderr, "%" G_GUINT64_FORMAT " pages visited\n", counters.page_visits);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 5) {
        fprintf(stderr, "usage: count-window FILE TYPE FROM TO\n");
        return 2;
    }
    if (!count_window(argv[1], argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), &error)) {
        fprintf(stderr, "count-window: %s\n", error->message);
        return 1;
    }
    return 0;
}
