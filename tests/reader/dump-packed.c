/*
 * Writes packed rows of many kinds, for a reader that was written from docs/FORMAT.md alone: dump-packed FILE
 *
 * The cases follow one another. Each begins with three U32: the number of rows, of packed bytes, and of fields. Then a
 * byte for each field has its width, and another one is 1 if the field is an I32 or I64. The packed bytes and the rows
 * follow.
 */
#include <stdio.h>

#include "libxtf/pack/pack.h"
#include "tests/unit/pack-rows.h"

static void write_case(FILE *file, const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level)
{
    uint32_t room = (uint32_t)xtf_pack_bound(schema, count);
    g_autofree uint8_t *packed = g_malloc(room);
    uint32_t head[] = {GUINT32_TO_LE(count), GUINT32_TO_LE(xtf_pack(schema, rows, count, level, packed, room, NULL)),
                       GUINT32_TO_LE(schema->n_fields)};

    fwrite(head, sizeof head, 1, file);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        fputc(schema->fields[f].width, file);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        fputc(schema->fields[f].type == XTF_TYPE_I32 || schema->fields[f].type == XTF_TYPE_I64, file);
    fwrite(packed, GUINT32_FROM_LE(head[1]), 1, file);
    fwrite(rows, schema->row_size, count, file);
}

int main(int argc, char **argv)
{
    const uint32_t counts[] = {1, 2, 3, 10, 100, 700, 4000};
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autoptr(XtfSchema) calls = make_schema(call_fields);
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

    if (!file)
        g_error("usage: dump-packed FILE");
    for (unsigned i = 0; i < 5 * G_N_ELEMENTS(counts); i++) {
        uint32_t count = counts[i % G_N_ELEMENTS(counts)];
        g_autoptr(GArray) rows = make_calls(random, count, i * 10);
        g_autoptr(XtfSchema) schema = random_schema(random, (unsigned)g_rand_int_range(random, 1, 12));
        g_autofree uint8_t *table = random_table(random, schema, count);
        write_case(file, calls, (const uint8_t *)rows->data, count, 1 + i % 9);
        write_case(file, schema, table, count, 1 + i % 9);
    }
    return fclose(file) == 0 ? 0 : 1;
}
