/*
 * Writes a trace once more, with other values. The writer computes totals, limits and checksums of all values, so
 * readers and checkers should accept the file.
 */
#include "fuzz-structure.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/xtf.h"

enum {
    ROWS_MAX = 3000, /* of all arrays */
    REPEATS_MAX = 6, /* copies of a row */
    TEXT_MAX = 300,  /* bytes of a made string */
};

typedef struct {
    XtfTrace *trace; /* read */
    XtfWriter *writer;
    GRand *random;
    uint32_t *ids; /* schema ids in the new file, by schema id of the trace */
    int rarity;    /* one in `rarity` values is changed */
    unsigned n_rows;
} Rewrite;

/* True if a random draw is the one of `one_of`. */
static bool happens(GRand *random, int one_of)
{
    return g_rand_int_range(random, 0, one_of) == 0;
}

static uint64_t random64(GRand *random)
{
    return (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
}

/* Returns another value for a field: an extreme one, one near the old value, or any. */
static uint64_t change_value(GRand *random, uint64_t before)
{
    static const uint64_t edges[] = {
        0, 1, 127, 128, 255, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)1 << 63};

    switch (g_rand_int_range(random, 0, 4)) {
    case 0:
        return edges[g_rand_int_range(random, 0, G_N_ELEMENTS(edges))];
    case 1:
        return before + (uint64_t)g_rand_int_range(random, -3, 4);
    case 2:
        return before ^ UINT64_C(1) << g_rand_int_range(random, 0, 64);
    default:
        return random64(random) >> g_rand_int_range(random, 0, 64);
    }
}

/* Returns a string of letters, controls and characters of several bytes. The caller frees it. */
static char *make_text(GRand *random)
{
    static const gunichar letters[] = {'a', 'Z', ' ', '\t', '\n', 0x1b, '\\', '/', '%', 0xe4, 0x2028, 0x1f600};
    GString *text = g_string_new(NULL);

    for (int n = g_rand_int_range(random, 0, happens(random, 8) ? TEXT_MAX : 12); n > 0; n--)
        g_string_append_unichar(text, letters[g_rand_int_range(random, 0, G_N_ELEMENTS(letters))]);
    return g_string_free(text, FALSE);
}

/* Gives a row's string its id in the new file, or another string. */
static bool write_string(Rewrite *rewrite, const XtfField *field, uint8_t *row)
{
    g_autofree char *made = happens(rewrite->random, rewrite->rarity) ? make_text(rewrite->random) : NULL;
    const char *text = made;
    uint32_t id;

    if (xtf_field_is_none(field, row))
        return true;
    if (!text && !xtf_trace_string(rewrite->trace, (uint32_t)xtf_field_get(field, row), &text, NULL))
        return false;
    if (!xtf_writer_add_string(rewrite->writer, text, &id, NULL))
        return false;
    xtf_field_set(field, row, id);
    return true;
}

/* Changes some values of a row. `first` is its first field that may change. Fields by which a table is sorted stay. */
static bool change_row(Rewrite *rewrite, const XtfSchema *schema, uint32_t first, uint8_t *row)
{
    for (uint32_t f = first; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        if (field->type == XTF_TYPE_STRING && !write_string(rewrite, field, row))
            return false;
        if (field->type != XTF_TYPE_STRING && !(field->flags & XTF_FIELD_ORDERS) &&
            happens(rewrite->random, rewrite->rarity))
            xtf_field_set(field, row, change_value(rewrite->random, xtf_field_get(field, row)));
    }
    return true;
}

/* Adds the schemas; if `bare`, without their aggregates. Then there are no totals that changed packed rows could
 * contradict. */
static bool add_schemas(Rewrite *rewrite, bool bare)
{
    for (uint32_t id = 0; id < xtf_trace_n_schemas(rewrite->trace); id++) {
        g_autoptr(XtfSchema) schema = xtf_schema_copy(xtf_trace_schema(rewrite->trace, id));
        if (bare)
            schema->n_aggregates = 0;
        if (!xtf_writer_add_schema(rewrite->writer, schema, &rewrite->ids[id], NULL))
            return false;
    }
    return true;
}

static bool write_tables(Rewrite *rewrite)
{
    for (uint32_t id = 0; id < xtf_trace_n_schemas(rewrite->trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(rewrite->trace, id);
        const XtfTable *table = NULL;
        if (schema->kind != XTF_SCHEMA_TABLE || !xtf_trace_table(rewrite->trace, schema->name, &table, NULL) || !table)
            continue;
        XtfTableWriter *writer = xtf_writer_table(rewrite->writer, rewrite->ids[id], NULL);
        for (uint64_t i = 0; writer && i < MIN(table->n_rows, ROWS_MAX); i++) {
            uint8_t row[XTF_ROW_MAX];
            memcpy(row, table->rows + i * schema->row_size, schema->row_size);
            if (!change_row(rewrite, schema, 0, row) || !xtf_table_writer_append(writer, row, NULL, NULL))
                return false;
        }
    }
    return true;
}

/* Gives the location of an array its old clock map, or a made one of a few knots. Invalid maps are refused. */
static void set_clock(Rewrite *rewrite, const XtfArray *array)
{
    XtfClockKnot knots[3];
    const XtfClockMap made = {.knots = knots, .n_knots = (uint32_t)g_rand_int_range(rewrite->random, 1, 4)};
    const XtfClockMap *map = array->clock;
    uint64_t step = random64(rewrite->random) >> g_rand_int_range(rewrite->random, 2, 64), number = 0;
    uint32_t id;

    if (happens(rewrite->random, 4)) {
        for (uint32_t i = 0; i < G_N_ELEMENTS(knots); i++, number += step)
            knots[i] = (XtfClockKnot){number, number + random64(rewrite->random) % (step / 1000 + 2),
                                      happens(rewrite->random, 3)};
        map = &made;
    }
    if (map && xtf_writer_add_clock_map(rewrite->writer, map, &id, NULL))
        xtf_writer_set_clock_map(rewrite->writer, array->location, id, NULL);
}

/* Appends copies of a row at growing times. */
static bool append_row(Rewrite *rewrite, XtfArrayWriter *writer, const XtfSchema *schema, const uint8_t *source,
                       uint64_t *shift)
{
    GRand *random = rewrite->random;

    for (int n = happens(random, 3) ? g_rand_int_range(random, 1, REPEATS_MAX) : 1; n > 0; n--) {
        uint8_t row[XTF_ROW_MAX];
        memcpy(row, source, schema->row_size);
        if (happens(random, rewrite->rarity))
            *shift += random64(random) >> g_rand_int_range(random, 6, 64);
        uint64_t time = xtf_field_get(&schema->fields[0], row) + *shift;
        xtf_field_set(&schema->fields[0], row, MAX(time, xtf_array_writer_last(writer)));
        if (rewrite->n_rows++ > ROWS_MAX || !change_row(rewrite, schema, 1, row) ||
            !xtf_array_writer_append(writer, row, NULL))
            return false;
    }
    return true;
}

/* Rewrites the rows of an array until a row cannot be read or written. */
static void write_array(Rewrite *rewrite, const XtfArray *array)
{
    XtfArray local = xtf_array_local(array);
    XtfArrayWriter *writer = xtf_writer_array(rewrite->writer, array->location, rewrite->ids[array->schema->id], NULL);
    g_auto(XtfCursor) cursor;
    uint64_t shift = 0;
    bool found = false;

    if (!writer)
        return;
    xtf_cursor_init(&cursor, &local);
    for (bool good = xtf_cursor_seek_n(&cursor, 0, &found, NULL); good && found;
         good = xtf_cursor_next(&cursor, 1, &found, NULL))
        if (!append_row(rewrite, writer, array->schema, xtf_cursor_row(&cursor), &shift))
            return;
}

static void write_arrays(Rewrite *rewrite)
{
    uint64_t n = MIN(xtf_trace_n_arrays(rewrite->trace), 100);

    for (uint64_t rank = 0; rank < n; rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(rewrite->trace, rank, 1, &array, NULL) || !xtf_array_is_supported(&array, NULL))
            continue;
        set_clock(rewrite, &array);
        write_array(rewrite, &array);
        if (happens(rewrite->random, 2 * (int)n) && !xtf_writer_commit(rewrite->writer, NULL))
            return;
    }
}

/* Rewrites the trace into an open file. Returns false if it cannot be read, or the file cannot be written. */
static bool rewrite_into(Rewrite *rewrite, int fd)
{
    static const uint32_t page_sizes[] = {4096, 4096, 4096, 8192, 16384};
    GRand *random = rewrite->random;
    XtfWriterOptions options = {
        .page_size = page_sizes[g_rand_int_range(random, 0, G_N_ELEMENTS(page_sizes))],
        .origin = happens(random, 2) ? UINT64_MAX : random64(random) >> g_rand_int_range(random, 0, 64),
        .codec = happens(random, 3) ? "plain" : "compact",
        .level = (unsigned)g_rand_int_range(random, 0, 10),
        .no_sync = true,
    };

    if (happens(random, 4))
        options.resolution_den = options.resolution_num = 1 + (uint64_t)g_rand_int(random);
    rewrite->writer = xtf_writer_create_in(fd, "rewritten", &options, NULL);
    if (!rewrite->writer)
        return false;
    if (!add_schemas(rewrite, happens(random, 2)) || !write_tables(rewrite)) {
        xtf_writer_abort(rewrite->writer);
        return false;
    }
    write_arrays(rewrite);
    if (happens(random, 3)) { /* as a killed writer leaves it */
        bool good = xtf_writer_commit(rewrite->writer, NULL);
        xtf_writer_abort(rewrite->writer);
        return good;
    }
    return xtf_writer_close(rewrite->writer, NULL);
}

size_t fuzz_rewrite(const uint8_t *data, size_t size, uint8_t *rewritten, size_t max_size, uint32_t seed)
{
    static const int rarities[] = {2, 10, 100, 10000};
    g_autoptr(GBytes) bytes = g_bytes_new(data, size); /* a copy, since `rewritten` may be `data` */
    g_autoptr(XtfTrace) trace =
        fuzz_names_files(data, size) ? NULL : xtf_trace_open_source(xtf_source_new_bytes(bytes), NULL, NULL);
    GRand *random = g_rand_new_with_seed(seed);
    Rewrite rewrite = {.trace = trace, .random = random, .rarity = rarities[g_rand_int_range(random, 0, 4)]};
    int fd = trace ? memfd_create("xtf-fuzz", MFD_CLOEXEC) : -1;
    struct stat status;
    size_t length = 0;

    if (fd >= 0) {
        rewrite.ids = g_new(uint32_t, xtf_trace_n_schemas(trace));
        if (rewrite_into(&rewrite, dup(fd)) && fstat(fd, &status) == 0 && (size_t)status.st_size <= max_size &&
            pread(fd, rewritten, (size_t)status.st_size, 0) == status.st_size)
            length = (size_t)status.st_size;
        close(fd);
    }
    g_free(rewrite.ids);
    g_rand_free(random);
    return length;
}
