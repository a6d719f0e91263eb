/*
 * Prints the records of all types and locations in one order: merge-records FILE FROM TO
 *
 * One line a record with a time in [FROM, TO), ticks: its time, its location and its type. Equal times are in the order
 * of their locations, and in a location in the order in which they were recorded.
 */
#include <libxtf/xtf.h>
#include <stdio.h>
#include <stdlib.h>

/* The rows of each array that lie in the window. Side arrays hold no records. */
static bool add_spans(XtfTrace *trace, uint64_t from, uint64_t to, XtfSpans *spans, GError **error)
{
    for (uint64_t i = 0; i < xtf_trace_n_arrays(trace); i++) {
        XtfArray array;
        XtfSpan span;
        if (!xtf_trace_get_arrays(trace, i, 1, &array, error))
            return false;
        if (array.schema->kind != XTF_SCHEMA_RECORD)
            continue;
        xtf_span_init(&span, &array);
        if (!xtf_span_cut(&span, from, to, error) || !xtf_spans_add(spans, &span, error))
            return false;
    }
    return true;
}

static void print_run(const XtfRowRun *run)
{
    const XtfArray *array = &run->span->array;

    for (uint64_t i = 0; i < run->n_rows; i++)
        printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s\n",
               xtf_field_get(&array->schema->fields[0], run->rows + i * array->schema->row_size), array->location,
               array->schema->name);
}

static bool merge_records(const char *path, uint64_t from, uint64_t to, GError **error)
{
    XtfRowRun run;
    g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace || !add_spans(trace, from, to, spans, error))
        return false;
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, 0, error);
    if (!reader)
        return false;
    do {
        if (!xtf_record_reader_next(reader, UINT64_MAX, &run, error))
            return false;
        print_run(&run);
    } while (run.n_rows);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 4) {
        fprintf(stderr, "usage: merge-records FILE FROM TO\n");
        return 2;
    }
    if (!merge_records(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), &error)) {
        fprintf(stderr, "merge-records: %s\n", error->message);
        return 1;
    }
    return 0;
}
