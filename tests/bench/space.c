/*
 * Prints the use of the bytes of a trace of one segment: space FILE.
 *
 * Reads the file page by page. The columns of a record type are: rows; leaves; the bytes of their payloads, and their
 * share of the leaves' pages; index pages. Then follow the bytes of right edges without totals; the bytes of totals, in
 * whole pages and in right edges, and their share of all bytes; and the bytes a row.
 */
#include "bench.h"

#include "libxtf/disk/address.h"
#include "libxtf/xtf.h"

typedef struct {
    uint64_t rows, pages[XTF_PAGE_TOTALS + 1], payload[XTF_PAGE_TOTALS + 1];
    uint64_t edges, edge_totals; /* bytes of right edges, and of the totals in them */
} Space;

/* Returns the bytes of a right edge after the open index pages; *leaf: the bytes of its open leaf. */
static uint64_t edge_totals(const XtfArray *array, const char *bytes, uint64_t *leaf)
{
    const XtfDiskOpen *heads = (const XtfDiskOpen *)(bytes + array->edge_offset + sizeof(XtfDiskEdge));
    uint64_t pages = sizeof(XtfDiskEdge) + array->height * sizeof *heads;

    for (unsigned level = 1; level < array->height; level++)
        pages += xtf_read32(heads[level].length);
    *leaf = xtf_read32(heads[0].length);
    return array->edge_length - pages;
}

/* Returns the schema of each array, by array id. Adds the rows and the right edge of each array to the space of its
 * schema. */
static uint32_t *read_arrays(XtfTrace *trace, const char *bytes, Space *spaces, uint32_t *n_ids)
{
    uint64_t n = xtf_trace_n_arrays(trace);
    g_autofree XtfArray *arrays = g_new0(XtfArray, n);
    GError *error = NULL;
    uint32_t *schema_of;

    bench_check(xtf_trace_get_arrays(trace, 0, n, arrays, &error), error, "no arrays");
    *n_ids = 0;
    for (uint64_t i = 0; i < n; i++)
        *n_ids = MAX(*n_ids, arrays[i].id + 1);
    schema_of = g_new0(uint32_t, *n_ids);
    for (uint64_t i = 0; i < n; i++) {
        schema_of[arrays[i].id] = arrays[i].schema->id;
        spaces[arrays[i].schema->id].rows += arrays[i].n_rows;
        uint64_t leaf;
        spaces[arrays[i].schema->id].edge_totals += edge_totals(&arrays[i], bytes, &leaf);
        spaces[arrays[i].schema->id].edges += arrays[i].edge_length + leaf;
    }
    return schema_of;
}

static void print_space(const char *name, const Space *space, uint64_t page_size)
{
    const uint64_t *pages = space->pages;
    uint64_t all = (pages[XTF_PAGE_LEAF] + pages[XTF_PAGE_INDEX] + pages[XTF_PAGE_TOTALS]) * page_size + space->edges;
    uint64_t totals = pages[XTF_PAGE_TOTALS] * page_size + space->edge_totals;

    g_print("%-16s %11lu %8lu %11lu %5.1f%% %8lu %10lu %10lu %6.2f%% %10.4f\n", name, (gulong)space->rows,
            (gulong)pages[XTF_PAGE_LEAF], (gulong)space->payload[XTF_PAGE_LEAF],
            100.0 * (double)space->payload[XTF_PAGE_LEAF] / (double)MAX(pages[XTF_PAGE_LEAF] * page_size, 1),
            (gulong)pages[XTF_PAGE_INDEX], (gulong)(space->edges - space->edge_totals), (gulong)totals,
            100.0 * (double)totals / (double)MAX(all, 1), (double)all / (double)MAX(space->rows, 1));
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    XtfTraceInfo info;

    g_set_prgname("space");
    if (argc != 2) {
        g_printerr("usage: space FILE\n");
        return 2;
    }
    XtfTrace *trace = xtf_trace_open(argv[1], NULL, &error);
    bench_check(trace != NULL, error, "the trace cannot be opened");
    xtf_trace_get_info(trace, &info);

    uint32_t n_ids, n_schemas = xtf_trace_n_schemas(trace);
    g_autofree Space *spaces = g_new0(Space, n_schemas);
    g_autoptr(GMappedFile) file = g_mapped_file_new(argv[1], FALSE, &error);
    bench_check(file != NULL, error, "the file cannot be mapped");
    const char *bytes = g_mapped_file_get_contents(file);
    g_autofree uint32_t *schema_of = read_arrays(trace, bytes, spaces, &n_ids);
    uint64_t n_pages = g_mapped_file_get_length(file) / info.page_size;
    Space total = {0};

    for (uint64_t place = xtf_first_place(info.page_size), step; place < n_pages; place += step) {
        const XtfDiskPage *head = (const XtfDiskPage *)(bytes + place * info.page_size);
        step = 1;
        if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || xtf_read32(head->array) >= n_ids ||
            head->kind < XTF_PAGE_LEAF || head->kind > XTF_PAGE_TOTALS)
            continue;
        uint32_t length = xtf_read32(head->length);
        Space *space = &spaces[schema_of[xtf_read32(head->array)]];
        step = (sizeof *head + length + info.page_size - 1) / info.page_size;
        space->pages[head->kind] += step;
        space->payload[head->kind] += length;
    }

    g_print("%-16s %11s %8s %11s %6s %8s %10s %10s %7s %10s\n", "# type", "rows", "leaves", "bytes", "full", "index",
            "edges", "totals", "totals%", "bytes/row");
    for (uint32_t i = 0; i < n_schemas; i++) {
        if (spaces[i].rows == 0)
            continue;
        print_space(xtf_trace_schema(trace, i)->name, &spaces[i], info.page_size);
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_RECORD)
            total.rows += spaces[i].rows;
        total.edges += spaces[i].edges;
        total.edge_totals += spaces[i].edge_totals;
        for (unsigned kind = XTF_PAGE_LEAF; kind <= XTF_PAGE_TOTALS; kind++) {
            total.pages[kind] += spaces[i].pages[kind];
            total.payload[kind] += spaces[i].payload[kind];
        }
    }
    print_space("all", &total, info.page_size);
    g_print("# file: %lu bytes, %.4f a record\n", (gulong)info.file_size,
            (double)info.file_size / (double)MAX(total.rows, 1));
    xtf_trace_unref(trace);
    return 0;
}
