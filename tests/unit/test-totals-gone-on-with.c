/* Totals in a file that several writers wrote one after another. */
#include "frames.h"

#include "libxtf/disk/format.h"
#include "libxtf/totals/accumulate.h"
#include "tests/rounds.h"

/* Writes rows [from, to) to the file's only array, and creates the file if `from` is 0. */
static void write_part(const char *path, const XtfSchema *schema, bool plain, const GArray *rows, guint from, guint to)
{
    GError *error = NULL;
    const XtfWriterOptions options = {.page_size = 4096, .codec = plain ? "plain" : NULL, .no_sync = true};
    XtfWriter *writer = from == 0 ? xtf_writer_create(path, &options, &error) : xtf_writer_open(path, &options, &error);
    uint32_t id;

    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    cr_assert_good(array, error);
    for (guint i = from; i < to; i++)
        cr_assert_good(xtf_array_writer_append(array, &g_array_index(rows, FrameRow, i), &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Returns the contents of all companions, by level and in the order of the index pages: first row, payload. */
static GByteArray *companions(const char *path)
{
    g_autofree char *content = NULL;
    gsize length;
    GByteArray *all = g_byte_array_new();

    cr_assert(g_file_get_contents(path, &content, &length, NULL));
    for (unsigned level = 1; level < 4; level++)
        for (gsize at = 2 * 4096; at + 4096 <= length; at += 4096) {
            const XtfDiskPage *head = (const XtfDiskPage *)(content + at);
            if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_TOTALS || head->level != level)
                continue;
            g_byte_array_append(all, head->first_n.bytes, sizeof head->first_n);
            g_byte_array_append(all, (const guint8 *)(head + 1), xtf_read32(head->length));
        }
    return all;
}

/* Compares the totals of some intervals with totals of the rows. */
static void assert_totals(const char *path, const XtfSchema *schema, const GArray *rows, GRand *random)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    GError *error = NULL;

    assert_sound(trace);
    for (unsigned i = 0; i < 20; i++) {
        guint from = (guint)g_rand_int_range(random, 0, (gint32)rows->len), to = from;
        to += (guint)g_rand_int_range(random, 0, (gint32)(rows->len - from));
        for (unsigned index = 0; index < schema->n_aggregates; index++) {
            const XtfAggregate *aggregate = &schema->aggregates[index];
            g_autoptr(XtfGroupTotals) all = xtf_group_totals_new(aggregate, aggregate->n_keys),
                                      part = xtf_group_totals_new(aggregate, aggregate->n_keys);
            g_autoptr(XtfGroupTotals) stored = xtf_group_totals_new(aggregate, aggregate->n_keys);
            XtfFrameStack stack;
            xtf_frame_stack_init(&stack);
            xtf_accumulate_rows(schema, aggregate, (const uint8_t *)rows->data, from, &stack, NULL, all, NULL);
            xtf_accumulate_rows(schema, aggregate, (const uint8_t *)&g_array_index(rows, FrameRow, from), to - from,
                                &stack, NULL, part, NULL);
            xtf_frame_stack_finish(&stack);
            cr_assert_good(xtf_array_totals(&array, index, NULL, from, to, stored, &error), error);
            xtf_group_totals_sort(part);
            xtf_group_totals_sort(stored);
            cr_assert_eq(xtf_group_totals_n(part), xtf_group_totals_n(stored));
            for (uint32_t g = 0; g < xtf_group_totals_n(part); g++)
                cr_assert_eq(memcmp(xtf_group_totals_key(part, g), xtf_group_totals_key(stored, g),
                                    (aggregate->n_keys + xtf_aggregate_n_cells(aggregate)) * sizeof(uint64_t)),
                             0);
        }
    }
}

/* Totals of several writers are the same as of one writer. */
Test(totals_gone_on_with, are_the_same_as_of_one_writer)
{
    g_autoptr(XtfSchema) schema = frame_schema_with_groups();
    char *folder = make_folder();
    g_autofree char *once = g_build_filename(folder, "once.xtf", NULL);
    g_autofree char *parts = g_build_filename(folder, "parts.xtf", NULL);

    for (uint32_t seed = 0; seed < TEST_ROUNDS(16); seed++) {
        bool plain = seed % 2;
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        FrameShape shape = {.regions = 60, .deepest = seed % 4 % 3 == 0 ? 10 : 200, .mishaps = seed % 4, .ties = 20};
        g_autoptr(GArray) rows = random_frames(random, 130000, shape);
        write_part(once, schema, plain, rows, 0, rows->len);
        for (guint from = 0; from < rows->len;) {
            guint to = from + (guint)g_rand_int_range(random, 1, 20000);
            to = MIN(to, rows->len);
            write_part(parts, schema, plain, rows, from, to);
            from = to;
        }
        assert_totals(once, schema, rows, random);
        assert_totals(parts, schema, rows, random);
        if (!plain) /* where packed leaves end depends on the writers */
            continue;
        g_autoptr(GByteArray) a = companions(once), b = companions(parts);
        cr_assert(a->len > 0 && a->len == b->len && memcmp(a->data, b->data, a->len) == 0);
    }
    remove_folder(folder);
}
