#include "libxtf/disk/lists/pieces.h"

#include "libxtf/base/bytes.h"
#include "libxtf/base/splitmix.h"
#include "libxtf/disk/address.h"

/* Returns the last piece that begins with row n or before; the first piece if none does. */
static uint32_t find_head(const XtfDiskPiece *heads, uint32_t count, uint64_t n)
{
    uint32_t low = 0, high = count - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (xtf_read64(heads[middle].first_n) <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static const char *shifts_fault(const XtfSchema *schema, const XtfPiece *piece)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < piece->n_shifts; i++) {
        const XtfDiskShift *shift = (const XtfDiskShift *)(const void *)piece->shifts + i;
        uint32_t field = xtf_read32(shift->field);
        if (field <= before || field >= schema->n_fields) /* field 0 is the time */
            return "a piece shifts a field that does not exist, or twice";
        before = field;
        XtfType type = schema->fields[field].type;
        if (xtf_type_width(type) == 0 || type == XTF_TYPE_F64 || type == XTF_TYPE_STRING)
            return "a piece shifts a field that is no integer";
    }
    return NULL;
}

static const char *decode_array_body(const XtfArray *array, XtfBytesReader *body, XtfPiece *piece)
{
    piece->array = (const XtfDiskArray *)(const void *)body->at;
    xtf_bytes_take(body, sizeof *piece->array);
    piece->shifts = body->at;
    if (body->failed || (uint64_t)piece->n_shifts * sizeof(XtfDiskShift) != body->left)
        return "a piece is cut short, or longer than its parts";
    if (xtf_read64(piece->array->n_rows) != piece->end - piece->first_n)
        return "a piece has not all rows of its array";
    if (xtf_read64(piece->array->location) != array->location ||
        xtf_read32(piece->array->schema) != array->schema->id || piece->array->flags & XTF_ARRAY_JOINED)
        return "a piece is an array of another kind";
    return shifts_fault(array->schema, piece);
}

static const char *decode_rows_body(const XtfArray *array, const XtfBytesReader *body, XtfPiece *piece)
{
    uint64_t n = piece->end - piece->first_n;

    piece->rows = body->at;
    if (piece->n_shifts > 0 || n > body->left || n * array->schema->row_size != body->left)
        return "the rows of a piece do not fill it";
    for (uint64_t i = 1; i < n; i++)
        if (xtf_load64(piece->rows + i * array->schema->row_size) <
            xtf_load64(piece->rows + (i - 1) * array->schema->row_size))
            return "time goes backwards in the rows of a piece";
    return NULL;
}

const char *xtf_pieces_find(const uint8_t *bytes, uint32_t length, const XtfArray *array, uint64_t n, XtfPiece *piece)
{
    XtfBytesReader reader = {.at = bytes, .left = length};
    uint32_t count = xtf_bytes_read_u32(&reader);

    xtf_bytes_read_u32(&reader);
    if (reader.failed || count == 0 || count > reader.left / sizeof(XtfDiskPiece))
        return "its pieces are cut short";
    const XtfDiskPiece *heads = (const XtfDiskPiece *)(const void *)reader.at;
    uint32_t i = find_head(heads, count, n);
    uint64_t offset = xtf_read32(heads[i].offset), body_length = xtf_read32(heads[i].length);
    *piece = (XtfPiece){.first_n = xtf_read64(heads[i].first_n),
                        .end = i + 1 < count ? xtf_read64(heads[i + 1].first_n) : array->n_rows};
    if (piece->first_n > n || n >= piece->end || piece->end > array->n_rows || (i == 0 && piece->first_n > 0))
        return "its pieces do not have all of its rows in order";
    if (offset % XTF_ITEM_ALIGNMENT != 0 || offset < sizeof(XtfDiskPieces) + (uint64_t)count * sizeof *heads ||
        offset > length || body_length > length - offset || body_length < sizeof(XtfDiskPieceBody))
        return "a piece lies outside of the edge";
    XtfBytesReader body = {.at = bytes + offset, .left = (uint32_t)body_length};
    piece->kind = (XtfPieceKind)xtf_bytes_read_u32(&body);
    piece->n_shifts = xtf_bytes_read_u32(&body);
    if (piece->kind == XTF_PIECE_ARRAY)
        return decode_array_body(array, &body, piece);
    return piece->kind == XTF_PIECE_ROWS ? decode_rows_body(array, &body, piece) : "a piece is of an unknown kind";
}

bool xtf_pieces_fill(const uint8_t *bytes, uint32_t length)
{
    XtfBytesReader reader = {.at = bytes, .left = length};
    uint32_t count = xtf_bytes_read_u32(&reader);
    uint64_t at = sizeof(XtfDiskPieces) + (uint64_t)count * sizeof(XtfDiskPiece);

    if (reader.failed || at > length)
        return false;
    const XtfDiskPiece *heads = (const XtfDiskPiece *)(const void *)(bytes + sizeof(XtfDiskPieces));
    for (uint32_t i = 0; i < count; i++) {
        if (xtf_read32(heads[i].offset) != at || xtf_read32(heads[i].length) > length - at)
            return false;
        for (at += xtf_read32(heads[i].length); at % XTF_ITEM_ALIGNMENT != 0; at++)
            if (at >= length || bytes[at] != 0)
                return false;
    }
    return at == length;
}

void xtf_shifts_apply(const uint8_t *shifts, uint32_t n_shifts, const XtfSchema *schema, uint8_t *rows, uint32_t count)
{
    for (uint32_t i = 0; i < n_shifts; i++) {
        const XtfDiskShift *shift = (const XtfDiskShift *)(const void *)shifts + i;
        const XtfField *field = &schema->fields[xtf_read32(shift->field)];
        uint64_t by = xtf_read64(shift->by);
        uint8_t *row = rows;
        for (uint32_t k = 0; k < count; k++, row += schema->row_size)
            if (!xtf_field_is_none(field, row))
                xtf_field_set(field, row, xtf_field_get(field, row) + by);
    }
}

uint64_t xtf_shifts_hash(const uint8_t *shifts, uint32_t n_shifts)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < n_shifts; i++) {
        const XtfDiskShift *shift = (const XtfDiskShift *)(const void *)shifts + i;
        hash = xtf_splitmix_step(xtf_splitmix_step(hash, xtf_read32(shift->field)), xtf_read64(shift->by));
    }
    return hash;
}

/* ---- Encoding. */

void xtf_pieces_encoder_init(XtfPiecesEncoder *encoder)
{
    *encoder = (XtfPiecesEncoder){.heads = g_byte_array_new(), .bodies = g_byte_array_new()};
}

void xtf_pieces_encoder_finish(XtfPiecesEncoder *encoder)
{
    g_clear_pointer(&encoder->heads, g_byte_array_unref);
    g_clear_pointer(&encoder->bodies, g_byte_array_unref);
}

/* Begins a body; its head gets the length by end_body(). */
static void begin_body(XtfPiecesEncoder *encoder, uint64_t first_n, XtfPieceKind kind, uint32_t n_shifts)
{
    XtfDiskPiece head = {0};
    XtfDiskPieceBody body;

    xtf_bytes_align(encoder->bodies);
    xtf_write64(&head.first_n, first_n);
    xtf_write32(&head.offset, encoder->bodies->len);
    g_byte_array_append(encoder->heads, (const guint8 *)&head, sizeof head);
    xtf_write32(&body.kind, kind);
    xtf_write32(&body.n_shifts, n_shifts);
    g_byte_array_append(encoder->bodies, (const guint8 *)&body, sizeof body);
}

static void end_body(XtfPiecesEncoder *encoder)
{
    XtfDiskPiece *head = (XtfDiskPiece *)(void *)(encoder->heads->data + encoder->heads->len) - 1;

    xtf_write32(&head->length, encoder->bodies->len - xtf_read32(head->offset));
}

void xtf_pieces_add_array(XtfPiecesEncoder *encoder, uint64_t first_n, const XtfArray *array, const GArray *shifts)
{
    XtfDiskArray disk;

    begin_body(encoder, first_n, XTF_PIECE_ARRAY, shifts->len);
    xtf_array_entry_encode(array, &disk);
    g_byte_array_append(encoder->bodies, (const guint8 *)&disk, sizeof disk);
    if (shifts->len > 0)
        g_byte_array_append(encoder->bodies, (const guint8 *)shifts->data, shifts->len * (guint)sizeof(XtfDiskShift));
    end_body(encoder);
}

void xtf_pieces_add_rows(XtfPiecesEncoder *encoder, uint64_t first_n, const uint8_t *rows, uint32_t length)
{
    begin_body(encoder, first_n, XTF_PIECE_ROWS, 0);
    g_byte_array_append(encoder->bodies, rows, length);
    end_body(encoder);
}

void xtf_pieces_encode(const XtfPiecesEncoder *encoder, GByteArray *edge)
{
    uint32_t before = (uint32_t)sizeof(XtfDiskPieces) + encoder->heads->len;
    uint32_t n = encoder->heads->len / (uint32_t)sizeof(XtfDiskPiece);

    xtf_bytes_write_u32(edge, n);
    xtf_bytes_write_u32(edge, 0);
    for (uint32_t i = 0; i < n; i++) {
        XtfDiskPiece head = ((const XtfDiskPiece *)(const void *)encoder->heads->data)[i];
        xtf_write32(&head.offset, xtf_read32(head.offset) + before);
        g_byte_array_append(edge, (const guint8 *)&head, sizeof head);
    }
    if (encoder->bodies->len > 0)
        g_byte_array_append(edge, encoder->bodies->data, encoder->bodies->len);
    xtf_bytes_align(edge);
}
