/*
 * Export of records as CSV: the bytes that `xtf cat --csv TRACE PATH/records` prints.
 *
 * Memory does not grow with the number of records. A line is a record: names and texts have no line breaks, since these
 * are escaped. So the lines count the records that are written.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/export/csv/exporter.h"
#include "src/export/job.h"
#include "src/files/head.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tree/records/record-values.h"

enum {
    HEAD_BYTES = 256, /* bytes read of an existing file */
    BUFFER = 1 << 18,
};

typedef struct {
    XtfExportJob *job;
    FILE *file;
    bool has_heading;
} CsvFile;

static bool fail_writing(const XtfExportJob *job, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s: cannot write: %s", job->final_path, g_strerror(errno ? errno : EIO));
}

static uint64_t count_lines(const char *bytes, size_t length)
{
    const char *end = bytes + length;
    uint64_t n = 0;

    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        bytes++;
        n++;
    }
    return n;
}

static bool write_csv_bytes(void *data, const char *bytes, size_t length, GError **error)
{
    CsvFile *csv = data;
    uint64_t n = count_lines(bytes, length);

    if (fwrite(bytes, 1, length, csv->file) != length)
        return fail_writing(csv->job, error);
    xtf_export_advance(csv->job, n - (csv->has_heading || !n ? 0 : 1));
    csv->has_heading |= n > 0;
    return true;
}

static bool count_locations(XtfExportJob *job, GError **error)
{
    g_auto(XtfSelectedLocations) locations = {0};

    if (!xtf_selected_locations_init(&locations, &job->tree->context, job->selection, error))
        return false;
    job->report.locations = locations.n;
    return true;
}

/* Checks that each record of the selection has a line. */
static bool check_number(const XtfExportJob *job, GError **error)
{
    return job->report.records == job->total ||
           xtf_damaged(error, "only %" PRIu64 " of %" PRIu64 " records can be read", job->report.records, job->total);
}

static bool export_csv(XtfExportJob *job, GError **error)
{
    CsvFile csv = {.job = job, .file = fopen(job->output, "we")};

    if (!csv.file)
        return fail_writing(job, error);
    setvbuf(csv.file, NULL, _IOFBF, BUFFER);
    bool good = xtf_records_write(&job->tree->records, job->selection, XTF_ROWS_CSV, write_csv_bytes, &csv, error);
    if (fclose(csv.file) != 0 && good)
        return fail_writing(job, error);
    return good && count_locations(job, error) && check_number(job, error);
}

/* True if the file's first line names columns of records. */
static bool is_csv_of_records(const char *path)
{
    char bytes[HEAD_BYTES + 1];
    ssize_t n = xtf_file_read_head(path, bytes, HEAD_BYTES, NULL);

    bytes[MAX(n, 0)] = '\0';
    const char *second = bytes + strcspn(bytes, ",\n");
    return g_str_has_prefix(second, ",proc,thread,");
}

const XtfExporter xtf_csv_exporter = {
    .name = "csv",
    .description = "a CSV file of records",
    .may_replace = is_csv_of_records,
    .run = export_csv,
};
