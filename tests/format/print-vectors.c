/*
 * Computes functions of the format by libxtf, for test_format_files.py. Each line of the standard input is a question.
 * The program prints an answer for each:
 *
 * - crc32 HEX: the CRC-32 of bytes
 * - hash NUMBER...: the hash of filters of a group with these keys
 * - bits WORDS HASH: the bits that a hash sets in a filter
 * - varint NUMBER: the bytes of a varint
 * - zigzag NUMBER: the unsigned number of a signed one
 * - number NUMBER: a head and its tail
 * - clock TIME KNOTS [LOCAL GLOBAL JUMP]...: the global time of a local one
 * - clock_back TIME KNOTS [LOCAL GLOBAL JUMP]...: the local time of a global one
 * - clocks_digest LOCATION KNOTS [LOCAL GLOBAL JUMP]...: the digest of one location's clock
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/base/checksum.h"
#include "libxtf/pack/pack-format.h"
#include "libxtf/totals/tables/filters.h"
#include "libxtf/xtf.h"

enum { WORDS_MAX = 100, KEYS = 6 };

static uint64_t to_number(const char *word)
{
    return *word == '-' ? (uint64_t)g_ascii_strtoll(word, NULL, 10) : g_ascii_strtoull(word, NULL, 10);
}

static void print_hex(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void answer_crc32(char **words, unsigned n)
{
    const char *hex = n > 0 ? words[0] : "";
    size_t length = strlen(hex) / 2;
    g_autofree uint8_t *bytes = g_malloc(length + 1);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
    printf("%u\n", xtf_checksum(bytes, length));
}

/* Prints the hash of a group whose keys are numbers. */
static void answer_hash(char **words, unsigned n)
{
    XtfFieldSpec fields[KEYS + 2] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}};
    static const char *const names[KEYS + 1] = {"a", "b", "c", "d", "e", "f", NULL};
    const char *keys[KEYS + 1] = {NULL};
    uint64_t key[KEYS];
    GError *error = NULL;

    for (unsigned i = 0; i < n && i < KEYS; i++) {
        keys[i] = names[i];
        fields[i + 1] = (XtfFieldSpec){.name = names[i], .type = XTF_TYPE_U64};
        key[i] = to_number(words[i]);
    }
    g_autoptr(XtfSchema) schema = xtf_schema_new("s", XTF_SCHEMA_RECORD, fields, &error);
    const XtfAggregateSpec aggregate = {.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .filters = true};
    if (!schema || !xtf_schema_add_aggregate(schema, &aggregate, &error))
        g_error("%s", error->message);
    printf("%" PRIu64 "\n", xtf_filter_hash(schema, &schema->aggregates[0], key));
}

/* Prints the bits that a group's hash sets in a filter: if one is clear, the filter excludes the group. */
static void answer_bits(char **words, unsigned n)
{
    uint32_t n_words = (uint32_t)to_number(words[0]);
    uint64_t hash = to_number(words[1]);
    g_autofree uint64_t *filter = g_new(uint64_t, n_words);

    for (uint32_t bit = 0; n == 2 && bit < 64 * n_words; bit++) {
        memset(filter, 0xff, n_words * sizeof *filter);
        filter[bit / 64] &= ~(UINT64_C(1) << bit % 64);
        if (!xtf_filter_may_have(filter, n_words, hash))
            printf("%u ", bit);
    }
    printf("\n");
}

/* Reads KNOTS [LOCAL GLOBAL JUMP]... */
static XtfClockMap read_map(char **words, XtfClockKnot *knots)
{
    uint32_t n = (uint32_t)to_number(words[0]);

    for (uint32_t i = 0; i < n; i++)
        knots[i] = (XtfClockKnot){.local = to_number(words[1 + 3 * i]),
                                  .global = to_number(words[2 + 3 * i]),
                                  .jumps = to_number(words[3 + 3 * i]) != 0};
    return (XtfClockMap){.n_knots = n, .knots = knots};
}

static void answer_clock(const char *function, char **words)
{
    XtfClockKnot knots[WORDS_MAX];
    XtfClockMap map = read_map(words + 1, knots);
    uint64_t number = to_number(words[0]);

    if (strcmp(function, "clock") == 0)
        number = xtf_clock_map_to_global(&map, number);
    else if (strcmp(function, "clock_back") == 0)
        number = xtf_clock_map_to_local(&map, number);
    else
        number = xtf_clock_map_digest(0, number, map.n_knots > 0 ? &map : NULL);
    printf("%" PRIu64 "\n", number);
}

static void answer_packing(const char *function, uint64_t value)
{
    uint8_t bytes[32], tails[32];
    XtfNumberWriter writer = {bytes, tails};

    if (strcmp(function, "zigzag") == 0) {
        printf("%" PRIu64 "\n", xtf_zigzag(value, 0));
    } else if (strcmp(function, "varint") == 0) {
        print_hex(bytes, (size_t)(xtf_put_varint(bytes, value) - bytes));
    } else {
        xtf_put_number(&writer, value);
        printf("%02x ", bytes[0]);
        print_hex(tails, (size_t)(writer.tail - tails));
    }
}

int main(void)
{
    char line[4096];

    while (fgets(line, sizeof line, stdin)) {
        g_auto(GStrv) words = g_strsplit(g_strchomp(line), " ", WORDS_MAX);
        unsigned n = g_strv_length(words) - 1;
        if (strcmp(words[0], "crc32") == 0)
            answer_crc32(words + 1, n);
        else if (strcmp(words[0], "hash") == 0)
            answer_hash(words + 1, n);
        else if (strcmp(words[0], "bits") == 0)
            answer_bits(words + 1, n);
        else if (g_str_has_prefix(words[0], "clock"))
            answer_clock(words[0], words + 1);
        else
            answer_packing(words[0], to_number(words[1]));
    }
    return 0;
}
