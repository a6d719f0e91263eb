/*
 * Prints the bounds of libxtf: first as the table in section 11 of docs/FORMAT.md, then by their names in the
 * independent reader, one a line.
 */
#include <inttypes.h>
#include <stdio.h>

#include "libxtf/disk/codec.h"
#include "libxtf/disk/files.h"
#include "libxtf/disk/format.h"
#include "libxtf/pack/deflate.h"
#include "libxtf/pack/pack-format.h"
#include "libxtf/schema.h"
#include "libxtf/totals/frame-stack.h"
#include "libxtf/totals/tables/filters.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/writer.h"

static void print_table(void)
{
    printf("| page | %d KiB to %d MiB, a power of two |\n", XTF_PAGE_SIZE_MIN >> 10, XTF_PAGE_SIZE_MAX >> 20);
    printf("| pages allotted; pages of a segment, and its first page | 2^40 - 1 |\n");
    printf("| pages of a file in FILES, and its first page | 2^%d - 1 |\n",
           g_bit_nth_msf((gulong)XTF_FILES_PAGES_MAX, -1) + 1);
    printf("| item | %d MiB; a node of the P index %d bytes |\n", XTF_ITEM_MAX >> 20, XTF_NODE_BYTES);
    printf("| rows of a table | %d MiB |\n", XTF_TABLE_MAX >> 20);
    printf("| heap of strings | 2^32 - 1 bytes, and no more than the file has; a string fits an item |\n");
    printf("| schemas; fields of one; bytes of its rows; its aggregates | %d; %d; %d; %d |\n", XTF_SCHEMAS_MAX,
           XTF_FIELDS_MAX, XTF_ROW_MAX, XTF_AGGREGATES_MAX);
    printf("| keys, values, cells of an aggregate | %d; %d; %d |\n", XTF_AGGREGATE_KEYS_MAX, XTF_AGGREGATE_VALUES_MAX,
           XTF_AGGREGATE_CELLS_MAX);
    printf("| height of a tree, and of the P index | %d levels |\n", XTF_HEIGHT_MAX);
    printf("| rows of a leaf, packed | see section 4 |\n");
    printf("| groups of a child | %d |\n", XTF_CHILD_GROUPS);
    printf("| frames of a snapshot | %d |\n", XTF_SNAPSHOT_FRAMES);
    printf("| files that an anchor names | what fits an item: fewer than 2^20 |\n");
    printf("| rows of an array without totals | %d |\n", XTF_SMALL_ARRAY_ROWS);
    printf("| pieces of a joined array, with their bodies | what fits an item, with the right edge |\n");
    printf("| bytes of a schema's name; of a field with its strings and labels | %d; %d |\n", UINT16_MAX, UINT16_MAX);
    printf("| segments | 2^%d |\n", __builtin_ctz(XTF_SEGMENTS_MAX));
    printf("| clock maps; knots of all clock maps | 2^%d; 2^%d |\n", __builtin_ctz(XTF_CLOCK_KNOTS_MAX),
           __builtin_ctz(XTF_CLOCK_KNOTS_MAX));
    printf("| sections of a catalog, chunks of a list | what fits an item |\n");
    printf("| arrays | bytes of the file / %zu |\n", sizeof(XtfDiskArray));
    printf("| entries of a leaf list | pages of the segment + 1 |\n");
    printf("| rows of an array, packed | (pages of the file + 1) times the rows of a leaf |\n");
    printf("| stream of templates | fields * %d * %d + 1 + rows, bytes |\n", XTF_PACK_TEMPLATES_MAX + 1,
           XTF_PACK_FIELD_MAX);
    printf("| deflated stream | inflates to at most %d times its bytes, and %d more |\n", XTF_DEFLATE_RATIO_MAX,
           XTF_DEFLATE_RATIO_MAX - 1);
    printf("| payload of a companion | %d MiB |\n", XTF_COMPANION_BYTES_MAX >> 20);
    printf("| rows of a table of totals | the least of children * %d and %d MiB / row size + %d + children * %d |\n",
           XTF_CHILD_GROUPS, XTF_TABLE_BYTES >> 20, XTF_CHILD_GROUPS, XTF_CHILD_GROUPS_LEAST);
    printf("| rows of a table of snapshots | children * %d |\n", XTF_SNAPSHOT_FRAMES);
    printf("| rows of a table of filters | (rows below the page / 64 + 1) * %d + children |\n", XTF_FILTER_GROUP_BITS);
    printf("| frames open at once | 2^%d |\n", __builtin_ctz(XTF_STACK_FRAMES_MAX));
}

static void print_names(void)
{
    printf("xtf_format ITEM_MAX %d\n", XTF_ITEM_MAX);
    printf("xtf_format TABLE_MAX %d\n", XTF_TABLE_MAX);
    printf("xtf_format HEIGHT_MAX %d\n", XTF_HEIGHT_MAX);
    printf("xtf_format PAGES_BETWEEN_MAX %d\n", XTF_FILES_GAP_MAX);
    printf("xtf_format FILE_PAGES_MAX %" PRIu64 "\n", (uint64_t)XTF_FILES_PAGES_MAX);
    printf("xtf_format LEAF_ROWS_PER_BYTE %d\n", XTF_LEAF_ROWS_PER_BYTE);
    printf("xtf_format LEAF_BYTES_MAX %d\n", XTF_LEAF_BYTES_MAX);
    printf("xtf_check_file SCHEMAS_MAX %d\n", XTF_SCHEMAS_MAX);
    printf("xtf_check_file FIELDS_MAX %d\n", XTF_FIELDS_MAX);
    printf("xtf_check_file ROW_MAX %d\n", XTF_ROW_MAX);
    printf("xtf_check_file AGGREGATES_MAX %d\n", XTF_AGGREGATES_MAX);
    printf("xtf_check_file KEYS_MAX %d\n", XTF_AGGREGATE_KEYS_MAX);
    printf("xtf_check_file VALUES_MAX %d\n", XTF_AGGREGATE_VALUES_MAX);
    printf("xtf_check_file NODE_MAX %d\n", XTF_NODE_BYTES);
    printf("xtf_totals CHILD_ROWS %d\n", XTF_CHILD_GROUPS);
    printf("xtf_totals CHILD_ROWS_LATE %d\n", XTF_CHILD_GROUPS_LEAST);
    printf("xtf_totals TABLE_BYTES %d\n", XTF_TABLE_BYTES);
    printf("xtf_totals SNAPSHOT_FRAMES %d\n", XTF_SNAPSHOT_FRAMES);
    printf("xtf_totals SMALL_ROWS %d\n", XTF_SMALL_ARRAY_ROWS);
    printf("xtf_totals FILTER_GROUP_BITS %d\n", XTF_FILTER_GROUP_BITS);
    printf("xtf_totals FILTER_PROBES %d\n", XTF_FILTER_PROBES);
}

int main(void)
{
    print_table();
    print_names();
    return 0;
}
