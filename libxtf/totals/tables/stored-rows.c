#include "libxtf/totals/tables/stored-rows.h"

#include "libxtf/base/thread-data.h"
#include "libxtf/pack/pack.h"

/* Maximum bytes of rows that a thread keeps between uses, for the next table. */
enum { KEPT_BYTES_MAX = 4 << 20 };

enum { SHAPES = (XTF_AGGREGATE_KEYS_MAX + 1) * (XTF_AGGREGATE_CELLS_MAX + 1) };

/* `child` ascends, so it is the field of role time. */
#define CHILD_FIELD                                           \
    {                                                         \
        .name = "child", .type = XTF_TYPE_U64, .role = "time" \
    }

static XtfSchema *make_schema(const char *name, const XtfFieldSpec *fields)
{
    g_autoptr(GError) error = NULL;
    XtfSchema *schema = xtf_schema_new(name, XTF_SCHEMA_SIDE, fields, &error);

    /* The arguments are constants of this file, so failure is a bug. */
    if (!schema)
        g_error("%s", error->message);
    return schema;
}

static XtfSchema *make_totals_schema(unsigned n_keys, unsigned n_cells)
{
    static const char *const keys[XTF_AGGREGATE_KEYS_MAX] = {"key0", "key1", "key2", "key3", "key4", "key5"};
    static const char *const cells[XTF_AGGREGATE_CELLS_MAX] = {
        "cell0", "cell1",  "cell2",  "cell3",  "cell4",  "cell5",  "cell6",  "cell7",  "cell8",
        "cell9", "cell10", "cell11", "cell12", "cell13", "cell14", "cell15", "cell16",
    };
    XtfFieldSpec fields[XTF_TOTALS_KEYS + XTF_AGGREGATE_KEYS_MAX + XTF_AGGREGATE_CELLS_MAX + 1] = {
        [XTF_TOTALS_CHILD] = CHILD_FIELD,
        [XTF_TOTALS_DEPTH] = {.name = "depth", .type = XTF_TYPE_U8},
    };
    unsigned n = XTF_TOTALS_KEYS;

    for (unsigned i = 0; i < n_keys; i++)
        fields[n++] = (XtfFieldSpec){.name = keys[i], .type = XTF_TYPE_U64};
    for (unsigned i = 0; i < n_cells; i++)
        fields[n++] = (XtfFieldSpec){.name = cells[i], .type = XTF_TYPE_U64};
    return make_schema("totals", fields);
}

const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate)
{
    static XtfSchema *schemas[SHAPES]; /* by numbers of keys and cells */
    unsigned n_cells = xtf_aggregate_n_cells(aggregate);
    XtfSchema **schema = &schemas[aggregate->n_keys * (XTF_AGGREGATE_CELLS_MAX + 1) + n_cells];

    if (g_once_init_enter(schema))
        g_once_init_leave(schema, make_totals_schema(aggregate->n_keys, n_cells));
    return *schema;
}

const XtfSchema *xtf_stored_border_schema(void)
{
    static const XtfFieldSpec fields[] = {
        [XTF_BORDER_CHILD] = CHILD_FIELD,
        [XTF_BORDER_GAP] = {.name = "gap", .type = XTF_TYPE_U64},
        [XTF_BORDER_DEPTH] = {.name = "depth", .type = XTF_TYPE_U64},
        [XTF_BORDER_LEAST] = {.name = "least", .type = XTF_TYPE_U64},
        {0},
    };
    static XtfSchema *schema;

    if (g_once_init_enter(&schema))
        g_once_init_leave(&schema, make_schema("borders", fields));
    return schema;
}

const XtfSchema *xtf_stored_snapshot_schema(void)
{
    static const XtfFieldSpec fields[] = {
        [XTF_SNAPSHOT_CHILD] = CHILD_FIELD,
        [XTF_SNAPSHOT_KEY] = {.name = "key", .type = XTF_TYPE_U64},
        [XTF_SNAPSHOT_ROW] = {.name = "row", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES},
        [XTF_SNAPSHOT_TIME] = {.name = "open_since", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES},
        [XTF_SNAPSHOT_OUTERMOST] = {.name = "outermost", .type = XTF_TYPE_U8},
        {0},
    };
    static XtfSchema *schema;

    if (g_once_init_enter(&schema))
        g_once_init_leave(&schema, make_schema("snapshots", fields));
    return schema;
}

const XtfSchema *xtf_stored_filter_schema(void)
{
    static const XtfFieldSpec fields[] = {
        [XTF_FILTER_CHILD] = CHILD_FIELD,
        [XTF_FILTER_BITS] = {.name = "bits", .type = XTF_TYPE_U64},
        {0},
    };
    static XtfSchema *schema;

    if (g_once_init_enter(&schema))
        g_once_init_leave(&schema, make_schema("filters", fields));
    return schema;
}

void xtf_stored_totals_append(GByteArray *rows, uint32_t child, const XtfAggregate *aggregate, unsigned depth,
                              const uint64_t *key, const uint64_t *cells)
{
    unsigned n_cells = xtf_aggregate_n_cells(aggregate);

    xtf_bytes_write_u64(rows, child);
    xtf_bytes_write_u8(rows, (uint8_t)depth);
    for (unsigned i = 0; i < aggregate->n_keys; i++)
        xtf_bytes_write_u64(rows, i < depth ? key[i] : 0);
    for (unsigned i = 0; i < n_cells; i++)
        xtf_bytes_write_u64(rows, cells[i]);
}

void xtf_stored_border_append(GByteArray *rows, const XtfBorder *border)
{
    xtf_bytes_write_u64(rows, border->child);
    xtf_bytes_write_u64(rows, border->gap);
    xtf_bytes_write_u64(rows, border->depth);
    xtf_bytes_write_u64(rows, border->least);
}

void xtf_stored_snapshot_append(GByteArray *rows, uint32_t child, const XtfFrameStack *stack)
{
    guint first = stack->frames->len > XTF_SNAPSHOT_FRAMES ? stack->frames->len - XTF_SNAPSHOT_FRAMES : 0;

    for (guint i = first; i < stack->frames->len; i++) {
        const XtfOpenFrame *frame = xtf_frame_stack_at(stack, i);
        xtf_bytes_write_u64(rows, child);
        xtf_bytes_write_u64(rows, frame->key);
        xtf_bytes_write_u64(rows, frame->row);
        xtf_bytes_write_u64(rows, frame->time);
        xtf_bytes_write_u8(rows, frame->outermost);
    }
}

void xtf_stored_filter_append(GByteArray *rows, uint32_t child, uint64_t bits)
{
    xtf_bytes_write_u64(rows, child);
    xtf_bytes_write_u64(rows, bits);
}

void xtf_stored_filter_read(const uint8_t *row, uint64_t *child, uint64_t *bits)
{
    const XtfField *fields = xtf_stored_filter_schema()->fields;

    *child = xtf_field_get(&fields[XTF_FILTER_CHILD], row);
    *bits = xtf_field_get(&fields[XTF_FILTER_BITS], row);
}

void xtf_stored_rows_pack(XtfDiskTotals head, const XtfSchema *schema, const XtfCodec *codec, const uint8_t *rows,
                          uint32_t n, GByteArray *payload)
{
    guint start = payload->len;
    uint32_t room = (uint32_t)codec->bound(schema, n);

    if (n == 0)
        return;
    g_byte_array_set_size(payload, start + (guint)sizeof head + room);
    uint32_t length =
        codec->pack(schema, rows, n, XTF_PACK_LEVEL_READING, payload->data + start + sizeof head, room, NULL);
    g_byte_array_set_size(payload, start + (guint)sizeof head + length);
    xtf_write32(&head.n_rows, n);
    xtf_write32(&head.length, length);
    memcpy(payload->data + start, &head, sizeof head);
    xtf_bytes_align(payload);
}

XtfPackedRows xtf_stored_rows_next(XtfBytesReader *payload)
{
    XtfDiskTotals head;

    xtf_bytes_read(payload, &head, sizeof head);
    uint32_t length = xtf_read32(head.length);
    XtfBytesReader bytes = xtf_bytes_read_part(payload, length);
    xtf_bytes_take(payload, -length % XTF_ITEM_ALIGNMENT);
    return (XtfPackedRows){
        .kind = head.kind, .aggregate = head.aggregate, .n = xtf_read32(head.n_rows), .bytes = bytes};
}

bool xtf_stored_rows_check(const XtfPackedRows *packed, uint64_t most, const char **fault)
{
    *fault = NULL;
    if (packed->n > most)
        *fault = "the table has too many rows";
    else if (packed->n == 0 && packed->bytes.left > 0)
        *fault = "the table has bytes but no rows";
    return !*fault;
}

static bool unpack_rows(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed, uint8_t *rows,
                        const char **fault)
{
    return packed->n == 0 ||
           codec->unpack_rows(schema, NULL, packed->bytes.at, (uint32_t)packed->bytes.left, packed->n, rows, fault);
}

uint8_t *xtf_stored_rows_unpack(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed,
                                uint64_t most, const char **fault)
{
    if (!xtf_stored_rows_check(packed, most, fault))
        return NULL;
    g_autofree uint8_t *rows = g_malloc(MAX((uint64_t)packed->n * schema->row_size, 1));
    return unpack_rows(schema, codec, packed, rows, fault) ? g_steal_pointer(&rows) : NULL;
}

/* ---- Columns. */

/* Memory of a thread: the first columns of a table, and rows that have no columns. */
typedef struct {
    uint8_t *bytes;
    size_t size;
} KeptBytes;

typedef struct {
    KeptBytes columns, rows;
} KeptColumns;

static void free_kept_columns(void *data)
{
    KeptColumns *kept = data;

    g_free(kept->columns.bytes);
    g_free(kept->rows.bytes);
    g_free(kept);
}

static GPrivate kept_columns_key = G_PRIVATE_INIT(free_kept_columns);

static uint8_t *keep_bytes(KeptBytes *kept, size_t size)
{
    if (kept->size < size || kept->size > KEPT_BYTES_MAX) {
        g_free(kept->bytes);
        kept->bytes = g_malloc(size);
        kept->size = size;
    }
    return kept->bytes;
}

/* Unpacks rows, and copies them to columns. */
static bool copy_to_columns(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed,
                            const XtfPackColumn *columns, KeptBytes *kept, const char **fault)
{
    const uint8_t *row = keep_bytes(kept, (size_t)packed->n * schema->row_size);

    if (!unpack_rows(schema, codec, packed, kept->bytes, fault))
        return false;
    for (uint32_t n = 0; n < packed->n; n++, row += schema->row_size)
        for (unsigned f = 0; f < schema->n_fields; f++)
            if (columns[f].to)
                columns[f].to[(size_t)n * columns[f].stride] = xtf_field_get(&schema->fields[f], row);
    return true;
}

/* Unpacks the columns that are needed of at least one row. */
static bool unpack_columns(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed,
                           const XtfPackColumn *columns, KeptBytes *kept, const char **fault)
{
    bool known = false;

    if (codec->unpack_columns && !codec->unpack_columns(schema, packed->bytes.at, (uint32_t)packed->bytes.left,
                                                        packed->n, columns, &known, fault))
        return false;
    return known || copy_to_columns(schema, codec, packed, columns, kept, fault);
}

bool xtf_stored_borders_unpack(const XtfCodec *codec, const XtfPackedRows *packed, XtfBorder *borders,
                               const char **fault)
{
    enum { STRIDE = sizeof *borders / sizeof(uint64_t) };
    KeptColumns *kept = xtf_thread_data(&kept_columns_key, sizeof *kept);
    uint64_t *child = (uint64_t *)(void *)keep_bytes(&kept->columns, packed->n * sizeof *child);
    const XtfPackColumn columns[] = {[XTF_BORDER_CHILD] = {child, 1},
                                     [XTF_BORDER_GAP] = {&borders->gap, STRIDE},
                                     [XTF_BORDER_DEPTH] = {&borders->depth, STRIDE},
                                     [XTF_BORDER_LEAST] = {&borders->least, STRIDE}};

    if (!unpack_columns(xtf_stored_border_schema(), codec, packed, columns, &kept->rows, fault))
        return false;
    for (uint32_t i = 0; i < packed->n; i++)
        borders[i].child = child[i];
    return true;
}

bool xtf_stored_snapshots_unpack(const XtfCodec *codec, const XtfPackedRows *packed, XtfOpenFrame *frames,
                                 XtfSnapshotColumns *snapshots, const char **fault)
{
    enum { STRIDE = sizeof *frames / sizeof(uint64_t) };
    KeptColumns *kept = xtf_thread_data(&kept_columns_key, sizeof *kept);
    uint64_t *child = (uint64_t *)(void *)keep_bytes(&kept->columns, 2 * (size_t)packed->n * sizeof *child);
    uint64_t *outermost = child + packed->n;
    const XtfPackColumn columns[] = {[XTF_SNAPSHOT_CHILD] = {child, 1},
                                     [XTF_SNAPSHOT_KEY] = {&frames->key, STRIDE},
                                     [XTF_SNAPSHOT_ROW] = {&frames->row, STRIDE},
                                     [XTF_SNAPSHOT_TIME] = {&frames->time, STRIDE},
                                     [XTF_SNAPSHOT_OUTERMOST] = {outermost, 1}};

    *snapshots = (XtfSnapshotColumns){.child = child, .outermost = outermost};
    return unpack_columns(xtf_stored_snapshot_schema(), codec, packed, columns, &kept->rows, fault);
}

bool xtf_stored_totals_unpack(const XtfAggregate *aggregate, const XtfCodec *codec, const XtfPackedRows *packed,
                              unsigned n_cells, uint64_t *cells, XtfTotalsRows *totals, const char **fault)
{
    KeptColumns *kept = xtf_thread_data(&kept_columns_key, sizeof *kept);
    const XtfSchema *schema = xtf_stored_totals_schema(aggregate);
    uint32_t n_keys = aggregate->n_keys, n = packed->n;
    size_t words = (size_t)n * (XTF_TOTALS_KEYS + n_keys);
    uint64_t *child = (uint64_t *)(void *)keep_bytes(&kept->columns, MAX(words * sizeof *child, 1));
    uint64_t *depth = child + n, *keys = depth + n;
    XtfPackColumn columns[XTF_TOTALS_KEYS + XTF_AGGREGATE_KEYS_MAX + XTF_AGGREGATE_CELLS_MAX] = {
        [XTF_TOTALS_CHILD] = {child, 1}, [XTF_TOTALS_DEPTH] = {depth, 1}};

    *totals = (XtfTotalsRows){.n = n, .child = child, .depth = depth, .keys = keys};
    for (uint32_t i = 0; i < n_keys; i++)
        columns[XTF_TOTALS_KEYS + i] = (XtfPackColumn){keys + i, n_keys};
    for (uint32_t i = 0; i < n_cells; i++)
        columns[XTF_TOTALS_KEYS + n_keys + i] = (XtfPackColumn){cells + (size_t)i * n, 1};
    return n == 0 || unpack_columns(schema, codec, packed, columns, &kept->rows, fault);
}
