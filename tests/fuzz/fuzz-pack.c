/*
 * Unpacks arbitrary bytes, and checks the answers against properties that hold for any input. The program makes its
 * inputs itself: packed rows with a few bytes changed. The same seed makes the same inputs.
 *
 *     fuzz-pack ROUNDS SEED [FOLDER]
 *
 * With FOLDER it writes the unchanged inputs there, as first inputs of a fuzzer.
 *
 * With -DXTF_FUZZ_TARGET the file is a target of targets/, without main(). The first byte of an input gives the schema,
 * the next two the number of rows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/pack/deflate.h"
#include "libxtf/pack/pack-format.h"
#include "libxtf/pack/pack.h"
#include "tests/unit/pack-rows.h"

enum { HEAD = 3, ROWS_MAX = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition, const char *fault)
{
    if (!condition)
        g_error("fuzz: %s", fault);
}

static XtfSchema *schema_of(uint8_t number)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(number);
    return number % 4 == 0 ? make_schema(call_fields) : random_schema(random, 1 + number % 12);
}

/* Unpacks columns of frames of damaged rows, which may be accepted. */
static void unpack_damaged_frames(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count)
{
    unsigned n = schema->n_fields - 1;
    uint32_t size;

    for (unsigned i = 0; i < 2 * n; i++) {
        const XtfFrameFields fields = {1 + i % n, 1 + (i + 1) % n, 1 + (i + 2) % n, 1 + (i + 3) % n, i < n};
        const char *fault = NULL;
        XTF_AUTO_BLOCK uint8_t *bytes =
            xtf_unpack_frames(schema, NULL, &fields, packed, length, count, 8, &size, &fault);
        must(!bytes || !fault, "columns of frames were accepted with a fault");
    }
}

/* Unpacks columns of damaged rows: they are refused, or not known. */
static void refuse_columns(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count)
{
    g_autofree uint64_t *values = g_new(uint64_t, (size_t)schema->n_fields * count);
    XtfPackColumn columns[XTF_FIELDS_MAX];
    const char *fault = NULL;
    bool known = false;

    for (unsigned f = 0; f < schema->n_fields; f++)
        columns[f] = (XtfPackColumn){.to = values + (size_t)f * count, .stride = 1};
    if (schema->n_fields > 1 && xtf_unpack_columns(schema, packed, length, count, columns, &known, &fault))
        must(!known, "columns of damaged rows were accepted");
    for (unsigned f = 0; f < schema->n_fields; f++) { /* sums of one field may be sound */
        g_autofree uint64_t *sums = g_new(uint64_t, (size_t)count + 1);
        const uint8_t field = (uint8_t)f;
        fault = NULL;
        if (!xtf_unpack_sums(schema, &field, 1, packed, length, count, sums, &known, &fault))
            must(fault, "sums were refused without a fault");
    }
}

static bool read_packed(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count)
{
    size_t size = (size_t)count * schema->row_size, bound = xtf_pack_bound(schema, count);
    g_autofree uint8_t *rows = g_malloc(size), *rows_again = g_malloc(size), *repacked = g_malloc(bound);
    g_autofree uint64_t *times = g_new(uint64_t, count);
    const char *fault = NULL;

    bool has_times = unpack_times(packed, length, count, times, &fault);
    must(has_times == !fault, "times were refused without a fault, or accepted with one");
    for (uint32_t n = 1; has_times && n < count; n++)
        must(times[n - 1] <= times[n], "a time is before the time of the previous row");
    fault = NULL;
    bool good = xtf_unpack_rows(schema, packed, length, count, rows, &fault);
    must(good == !fault, "rows were refused without a fault, or accepted with one");
    must(!good || has_times, "rows were accepted, but not their times");
    if (!good) {
        bool known;
        for (unsigned field = 1; field < schema->n_fields; field++)
            if (!xtf_unpack_zeros(schema, field, packed, length, count, times, &known, &fault))
                must(fault, "zeros were refused without a fault");
        unpack_damaged_frames(schema, packed, length, count);
        refuse_columns(schema, packed, length, count);
        return false;
    }
    for (uint32_t n = 0; n < count; n++)
        must(times[n] == xtf_field_get(&schema->fields[0], rows + (size_t)n * schema->row_size),
             "the times differ from those of the rows");
    unsigned known = 0;
    must(zeros_agree(schema, packed, length, rows, count, &known, &fault), "the zeros differ from those of the rows");
    must(frames_agree(schema, packed, length, rows, count, &known, &fault), "columns of frames were refused");
    must(columns_agree(schema, packed, length, rows, count, &known, &fault), "columns were refused");
    must(sums_agree(schema, packed, length, rows, count, &known, &fault), "sums were refused");
    length = xtf_pack(schema, rows, count, 1, repacked, (uint32_t)bound, NULL);
    must(length > 0 && xtf_unpack_rows(schema, repacked, length, count, rows_again, &fault),
         "unpacked rows cannot be packed again");
    must(memcmp(rows, rows_again, size) == 0, "packed and unpacked rows differ from the rows");
    return true;
}

static bool read_input(const uint8_t *data, size_t size)
{
    if (size <= HEAD)
        return false;
    g_autoptr(XtfSchema) schema = schema_of(data[0]);
    return read_packed(schema, data + HEAD, (uint32_t)(size - HEAD), 1 + (data[1] | (uint32_t)data[2] << 8) % ROWS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_input(data, size);
    return 0;
}

#ifndef XTF_FUZZ_TARGET

static uint64_t read_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= (uint64_t)(**at & 0x7f) << shift;
        if (*(*at)++ < 0x80)
            return value;
    }
}

/* Appends the same streams in stored form: a change of one stored byte is a change of one byte of the content. */
static void append_stored(GByteArray *to, const uint8_t *packed, uint32_t length)
{
    for (const uint8_t *at = packed; at < packed + length;) {
        uint64_t code = read_varint(&at), n = code >> 2;
        uint64_t stored = (code & 3) == XTF_STREAM_DEFLATED   ? read_varint(&at)
                          : (code & 3) == XTF_STREAM_REPEATED ? 1
                                                              : n;
        g_autofree uint8_t *bytes = g_malloc(n + 1);
        uint8_t head[XTF_VARINT_MAX];
        if ((code & 3) == XTF_STREAM_DEFLATED)
            must(xtf_deflate->inflate(at, stored, bytes, n), "a stream of the packer does not inflate");
        else if ((code & 3) == XTF_STREAM_REPEATED)
            memset(bytes, *at, n);
        else
            memcpy(bytes, at, n);
        at += stored;
        g_byte_array_append(to, head, (guint)(xtf_put_varint(head, n << 2 | XTF_STREAM_STORED) - head));
        g_byte_array_append(to, bytes, (guint)n);
    }
}

static GByteArray *make_input(GRand *random)
{
    const uint32_t counts[] = {1, 2, 5, 30, 300, 2000};
    uint32_t count = counts[g_rand_int_range(random, 0, G_N_ELEMENTS(counts))];
    uint8_t head[HEAD] = {(uint8_t)g_rand_int(random), (uint8_t)(count - 1), (uint8_t)((count - 1) >> 8)};
    g_autoptr(XtfSchema) schema = schema_of(head[0]);
    g_autofree uint8_t *rows = head[0] % 4 ? random_table(random, schema, count) : NULL;
    g_autoptr(GArray) calls = rows ? NULL : make_calls(random, count, count / 2);
    uint32_t bound = (uint32_t)xtf_pack_bound(schema, count);
    g_autofree uint8_t *packed = g_malloc(bound);
    uint32_t length = xtf_pack(schema, rows ? rows : (const uint8_t *)calls->data, count, 1, packed, bound, NULL);
    GByteArray *input = g_byte_array_new();

    must(length > 0, "rows cannot be packed");
    g_byte_array_append(input, head, HEAD);
    if (g_rand_int_range(random, 0, 4))
        append_stored(input, packed, length);
    else
        g_byte_array_append(input, packed, length);
    return input;
}

static void change_input(GRand *random, GByteArray *input)
{
    static const uint8_t edge_bytes[] = {0, 1, 2, 3, 5, 6, 0x7f, 0x80, 0xfe, 0xff};
    /* The first bytes hold the heads of streams, which matter most. */
    guint end = g_rand_int_range(random, 0, 2) ? input->len : MIN(input->len, 60);
    guint at = (guint)g_rand_int_range(random, g_rand_int_range(random, 0, 20) ? HEAD : 0, (gint32)end);

    switch (g_rand_int_range(random, 0, 8)) {
    case 0:
        g_byte_array_set_size(input, MAX(at, HEAD + 1));
        break;
    case 1:
        g_byte_array_remove_index(input, at);
        break;
    case 2:
        g_byte_array_append(input, edge_bytes, 1);
        break;
    case 3:
    case 4:
        input->data[at] = edge_bytes[g_rand_int_range(random, 0, G_N_ELEMENTS(edge_bytes))];
        break;
    default:
        input->data[at] ^= 1u << g_rand_int_range(random, 0, 8);
    }
}

static void write_input(const char *folder, long round, const GByteArray *input)
{
    g_autofree char *path = g_strdup_printf("%s/%ld", folder, round);

    must(g_file_set_contents(path, (const char *)input->data, input->len, NULL), "an input cannot be written");
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s ROUNDS SEED [FOLDER]\n", argv[0]);
        return 2;
    }
    long rounds = atol(argv[1]), good = 0;

    for (long round = 0; round < rounds; round++) {
        g_autoptr(GRand) random = g_rand_new_with_seed((uint32_t)(atol(argv[2]) + round));
        g_autoptr(GByteArray) input = make_input(random);
        if (argc == 4)
            write_input(argv[3], round, input);
        for (int n = g_rand_int_range(random, 0, 4); n > 0 && input->len > HEAD + 1; n--)
            change_input(random, input);
        g_autofree uint8_t *exact =
            g_memdup2(input->data, input->len); /* exact, so that sanitizers see reads past its end */
        good += read_input(exact, input->len);
    }
    printf("%ld changed inputs read, %ld of them good\n", rounds, good);
    return good * 3 >= rounds && good < rounds
               ? 0
               : 1; /* few good inputs: the changes are too coarse; all good: no change is detected */
}

#endif
