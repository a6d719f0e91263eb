/* Derived types: directories of their own, and no part of what is shown of all records together. */
#include <criterion/criterion.h>
#include <string.h>

#include "writing.h"

enum { RECORDS = 500, DERIVED = 90 };

static uint32_t add_derived_schema(XtfWriter *writer)
{
    static const XtfFieldSpec fields[] = {{"time", XTF_TYPE_U64, "time", "ticks", NULL, 0, NULL},
                                          {"wait", XTF_TYPE_U64, NULL, "ticks", NULL, 0, NULL},
                                          {0}};
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new("waits", XTF_SCHEMA_DERIVED, fields, &error);
    uint32_t id;

    cr_assert(schema && xtf_writer_add_schema(writer, schema, &id, &error), "%s", error ? error->message : "");
    return id;
}

static void write_trace(Written *written)
{
    Writing writing = {0};
    const char *const name = "MPI_Recv";

    writing_begin(&writing);
    const XtfRegionRow region = {.line = XTF_NONE32, .name = writing_string(&writing, name)};
    writing_define(&writing, XTF_MODEL_REGIONS, &region);
    const XtfLocationRow location = {.id = 5, .proc = 0, .thread = 0};
    writing_define(&writing, XTF_MODEL_LOCATIONS, &location);
    for (uint64_t i = 0; i < RECORDS; i++) {
        const XtfEntersLeavesRow row = {
            .time = 1000 + 10 * i, .seq = i, .event = i % 2, .enter = i % 2, .outermost = 1};
        writing_append(&writing, 5, XTF_MODEL_ENTERS_LEAVES, &row);
    }
    XtfArrayWriter *waits = xtf_writer_array(writing.writer, 5, add_derived_schema(writing.writer), NULL);
    for (uint64_t i = 0; i < DERIVED; i++) {
        const uint64_t row[] = {GUINT64_TO_LE(1500 + 10 * i), GUINT64_TO_LE(i)};
        cr_assert(xtf_array_writer_append(waits, row, NULL));
    }
    writing_end(&writing, written);
}

static void assert_shows(const Written *written, const char *path, const char *expected)
{
    GString *text = written_read(written, path);
    cr_assert_str_eq(g_strstrip(text->str), expected, "%s", path);
    g_string_free(text, TRUE);
}

Test(derived, are_shown_by_themselves)
{
    g_auto(Written) written = {0};

    write_trace(&written);
    const XtfClock *clock = xtf_trace_clock(written.trace);
    cr_assert_eq(clock->first, 1000);
    cr_assert_eq(clock->last, 1000 + 10 * (RECORDS - 1));
    assert_shows(&written, "count", "500");
    assert_shows(&written, "proc/0/count", "500");
    assert_shows(&written, "enters_leaves/count", "500");
    assert_shows(&written, "waits/count", "90");
    assert_shows(&written, "proc/0/waits/num/10-30/count", "20");
    assert_shows(&written, "waits/time/10%-20%/proc/0/count", "0");
    assert_shows(&written, "waits/time/30%-40%/proc/0/count", "60"); /* 1798 to 2396: the trace has ticks 0 to 5990 */

    GString *records = written_read(&written, "records"), *waits = written_read(&written, "waits/records");
    unsigned lines = 0;
    for (const char *at = records->str; (at = strchr(at, '\n')); at++)
        lines++;
    cr_assert_eq(lines, RECORDS);
    cr_assert_null(strstr(records->str, "waits"));
    lines = 0;
    for (const char *at = waits->str; (at = strchr(at, '\n')); at++)
        lines++;
    cr_assert_eq(lines, DERIVED);
    g_string_free(records, TRUE);
    g_string_free(waits, TRUE);
}
