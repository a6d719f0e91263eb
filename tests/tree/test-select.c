/* Selection by rank in files whose index and leaves disagree while their checksums are right. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/disk/page.h"
#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

enum {
    PAGE = 4096,
    ROWS = 2000,
};

#define TICK UINT64_C(1000000000000000)

static void write_trace(const char *path)
{
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"},
                                          {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
                                          {0}};
    XtfWriterOptions options = {
        .page_size = PAGE, .codec = "plain", .no_sync = true}; /* plain rows, which the test can change in place */
    XtfWriter *writer = xtf_writer_create(path, &options, NULL);
    g_autoptr(XtfSchema) schema = xtf_schema_new("marks", XTF_SCHEMA_RECORD, fields, NULL);
    uint8_t row[XTF_ROW_MAX];
    uint32_t id;

    cr_assert(xtf_writer_add_schema(writer, schema, &id, NULL));
    for (uint64_t location = 0; location < 2; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, id, NULL);
        for (uint64_t n = 0; n < ROWS; n++) {
            xtf_field_set(&schema->fields[0], row, n * TICK);
            xtf_field_set(&schema->fields[1], row, n);
            cr_assert(xtf_array_writer_append(array, row, NULL));
        }
    }
    cr_assert(xtf_writer_close(writer, NULL));
}

/* Sets the times of the rows of each leaf to at least `time`, except of its first row, whose time the index has. So the
 * times of each leaf overlap the times of the next leaves. Returns the number of leaves. */
static unsigned redate_leaves(uint8_t *file, size_t size, uint64_t time)
{
    unsigned n_leaves = 0;
    XtfLe64 le;

    for (uint64_t place = 0; (place + 1) * PAGE <= size; place++) {
        XtfDiskPage *head = (XtfDiskPage *)(file + place * PAGE);
        uint8_t *payload = (uint8_t *)(head + 1);
        if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_LEAF)
            continue;
        uint32_t length = xtf_read32(head->length), row = length / xtf_read32(head->count);
        for (uint32_t at = row; at < length; at += row) {
            memcpy(&le, payload + at, sizeof le);
            xtf_write64(&le, MAX(xtf_read64(le), time));
            memcpy(payload + at, &le, sizeof le);
        }
        xtf_write32(&head->checksum, xtf_page_checksum(head, place, payload, length));
        n_leaves++;
    }
    return n_leaves;
}

typedef struct {
    char *path;
    XtfTrace *trace;
    XtfTree *tree;
} Sample;

static Sample open_redated(uint64_t time)
{
    g_autofree char *file = NULL;
    GError *error = NULL;
    Sample sample = {0};
    gsize size;

    close(g_file_open_tmp("xtf-select-XXXXXX", &sample.path, NULL));
    write_trace(sample.path);
    cr_assert(g_file_get_contents(sample.path, &file, &size, NULL));
    cr_assert_gt(redate_leaves((uint8_t *)file, size, time), 10);
    cr_assert(g_file_set_contents(sample.path, file, (gssize)size, NULL));
    sample.trace = xtf_trace_open(sample.path, NULL, &error);
    cr_assert(sample.trace, "%s", error ? error->message : "");
    sample.tree = xtf_tree_new(sample.trace, NULL);
    return sample;
}

static void sample_end(Sample *sample)
{
    xtf_tree_free(sample->tree);
    xtf_trace_unref(sample->trace);
    g_unlink(sample->path);
    g_free(sample->path);
}

/* True if reading `length` bytes fails as damage. Asserts that reading fails in no other way. */
static bool refused(XtfNode *file, uint64_t offset, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *buffer = g_malloc(length);

    if (xtf_node_read(file, offset, buffer, length, &length, &error))
        return false;
    cr_assert_eq(error->code, XTF_ERROR_DAMAGED, "%s", error->message);
    return true;
}

static const uint64_t times[] = {ROWS / 3 * TICK, ROWS / 2 * TICK + 7, (ROWS - 1) * TICK};

Test(select, ends_where_index_and_leaves_disagree, .timeout = 20)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
        Sample sample = open_redated(times[i]);
        g_autoptr(XtfNode) records = xtf_tree_resolve(sample.tree, "records", NULL);
        uint64_t size = xtf_node_size(records);
        unsigned failed = 0;

        for (uint64_t offset = 0; offset < size; offset += size / 37)
            failed += refused(records, offset, 32);
        cr_assert_gt(failed, 0, "with all leaves at %" G_GUINT64_FORMAT, times[i]);
        g_clear_pointer(&records, xtf_node_unref);
        sample_end(&sample);
    }
}

Test(select, never_shows_times_that_go_backwards)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
        Sample sample = open_redated(times[i]);
        g_autoptr(XtfNode) all = xtf_tree_resolve(sample.tree, "records", NULL);
        g_autoptr(XtfNode) one = xtf_tree_resolve(sample.tree, "proc/1/records", NULL);

        cr_assert(refused(all, 0, xtf_node_size(all)));
        cr_assert(refused(one, 0, xtf_node_size(one)));
        g_clear_pointer(&all, xtf_node_unref);
        g_clear_pointer(&one, xtf_node_unref);
        sample_end(&sample);
    }
}
