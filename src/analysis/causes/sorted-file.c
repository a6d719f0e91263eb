#include "src/analysis/causes/sorted-file.h"

#include <string.h>

#include "src/analysis/causes/scratch-file.h"

/* Runs of a file that turns out to be long are longer: no more of them than the scratch file's cache has blocks. */
enum { RUN_SIZE = 8 << 20, LONG_RUN_SIZE = 32 << 20, SHORT_RUNS = 8, ROW_MOST = 1024 };

/* Rows of the runs' file, from `at` on; `row` is the next one. */
typedef struct {
    uint64_t at, end;
    uint64_t row[ROW_MOST / 8];
} Run;

struct XtfSortedFile {
    uint32_t row_size, n_locations;
    char *folder;
    uint8_t *rows; /* that are collected */
    size_t n_rows, room;
    XtfScratchFile *runs;
    GArray *ends; /* uint64_t, of the runs */
    XtfScratchFile *sorted;
    uint64_t *first; /* by location; one more than there are */
};

XtfSortedFile *xtf_sorted_file_new(uint32_t row_size, uint32_t n_locations, const char *folder, GError **error)
{
    g_autoptr(XtfScratchFile) runs = xtf_scratch_file_new(row_size, folder, error);

    g_assert(row_size % 8 == 0 && row_size >= sizeof(XtfRowKey) && row_size <= ROW_MOST);
    if (!runs)
        return NULL;
    XtfSortedFile *file = g_new0(XtfSortedFile, 1);
    *file = (XtfSortedFile){
        .row_size = row_size,
        .n_locations = n_locations,
        .folder = g_strdup(folder),
        .room = RUN_SIZE / row_size,
        .runs = g_steal_pointer(&runs),
        .ends = g_array_new(false, false, sizeof(uint64_t)),
        .first = g_new0(uint64_t, (size_t)n_locations + 1),
    };
    return file;
}

void xtf_sorted_file_free(XtfSortedFile *file)
{
    if (!file)
        return;
    xtf_scratch_file_free(file->runs);
    xtf_scratch_file_free(file->sorted);
    g_array_unref(file->ends);
    g_free(file->rows);
    g_free(file->first);
    g_free(file->folder);
    g_free(file);
}

static int compare_keys(const void *a, const void *b)
{
    const XtfRowKey *one = a, *other = b;

    if (one->location != other->location)
        return one->location < other->location ? -1 : 1;
    return (one->seq > other->seq) - (one->seq < other->seq);
}

static int compare_rows(const void *a, const void *b, G_GNUC_UNUSED void *data)
{
    return compare_keys(a, b);
}

/* Writes what was collected, as a run. */
static bool write_run(XtfSortedFile *file, GError **error)
{
    g_qsort_with_data(file->rows, (int)file->n_rows, file->row_size, compare_rows,
                      NULL); /* keeps the order of equals */
    for (size_t i = 0; i < file->n_rows; i++) {
        if (!xtf_scratch_file_append(file->runs, file->rows + i * file->row_size, error))
            return false;
    }
    uint64_t end = xtf_scratch_file_n(file->runs);
    g_array_append_val(file->ends, end);
    file->n_rows = 0;
    if (file->ends->len == SHORT_RUNS) {
        g_clear_pointer(&file->rows, g_free);
        file->room = LONG_RUN_SIZE / file->row_size;
    }
    return true;
}

bool xtf_sorted_file_add(XtfSortedFile *file, const void *row, GError **error)
{
    const XtfRowKey *key = row;

    g_assert(!file->sorted && key->location < file->n_locations);
    if (!file->rows)
        file->rows = g_malloc_n(file->room, file->row_size);
    memcpy(file->rows + file->n_rows++ * file->row_size, row, file->row_size);
    file->first[key->location + 1]++;
    return file->n_rows < file->room || write_run(file, error);
}

/* ---- Merging: a heap of runs, the least row first. */

static bool comes_first(const Run *a, const Run *b)
{
    int order = compare_keys(a->row, b->row);

    return order != 0 ? order < 0 : a->end < b->end; /* the earlier run */
}

static void sift(Run **heap, uint32_t n, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
            if (comes_first(heap[child], heap[least]))
                least = child;
        }
        if (least == i)
            return;
        Run *run = heap[i];
        heap[i] = heap[least];
        heap[least] = run;
        i = least;
    }
}

static bool merge(XtfSortedFile *file, Run **heap, uint32_t n, GError **error)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!xtf_scratch_file_get(file->runs, heap[i]->at++, heap[i]->row, error))
            return false;
    }
    for (uint32_t i = n; i-- > 0;)
        sift(heap, n, i);
    while (n > 0) {
        Run *run = heap[0];
        if (!xtf_scratch_file_append(file->sorted, run->row, error))
            return false;
        if (run->at == run->end)
            heap[0] = heap[--n];
        else if (!xtf_scratch_file_get(file->runs, run->at++, run->row, error))
            return false;
        sift(heap, n, 0);
    }
    return true;
}

bool xtf_sorted_file_sort(XtfSortedFile *file, GError **error)
{
    g_assert(!file->sorted);
    if (file->n_rows > 0 && !write_run(file, error))
        return false;
    g_clear_pointer(&file->rows, g_free);
    for (uint32_t i = 0; i < file->n_locations; i++)
        file->first[i + 1] += file->first[i];
    if (file->ends->len <= 1) { /* it is sorted */
        file->sorted = g_steal_pointer(&file->runs);
        return true;
    }
    file->sorted = xtf_scratch_file_new(file->row_size, file->folder, error);
    if (!file->sorted)
        return false;

    g_autofree Run *runs = g_new0(Run, file->ends->len);
    g_autofree Run **heap = g_new0(Run *, file->ends->len);
    for (uint32_t i = 0; i < file->ends->len; i++) {
        runs[i].at = i == 0 ? 0 : g_array_index(file->ends, uint64_t, i - 1);
        runs[i].end = g_array_index(file->ends, uint64_t, i);
        heap[i] = &runs[i];
    }
    bool good = merge(file, heap, file->ends->len, error);
    g_clear_pointer(&file->runs, xtf_scratch_file_free);
    return good;
}

/* ---- Sorted. */

uint64_t xtf_sorted_file_n(const XtfSortedFile *file, uint32_t location)
{
    return file->first[location + 1] - file->first[location];
}

bool xtf_sorted_file_get(XtfSortedFile *file, uint32_t location, uint64_t i, void *row, GError **error)
{
    g_assert(file->sorted && i < xtf_sorted_file_n(file, location));
    return xtf_scratch_file_get(file->sorted, file->first[location] + i, row, error);
}

bool xtf_sorted_file_put(XtfSortedFile *file, uint32_t location, uint64_t i, const void *row, GError **error)
{
    g_assert(file->sorted && i < xtf_sorted_file_n(file, location));
    return xtf_scratch_file_put(file->sorted, file->first[location] + i, row, error);
}

bool xtf_sorted_file_find(XtfSortedFile *file, uint32_t location, uint64_t seq, uint64_t *i, GError **error)
{
    uint64_t low = 0, high = xtf_sorted_file_n(file, location);
    uint64_t row[ROW_MOST / 8];

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!xtf_sorted_file_get(file, location, middle, row, error))
            return false;
        if (((const XtfRowKey *)(const void *)row)->seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    *i = low;
    return true;
}
