#include "src/files/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"
#include "libxtf/error.h"

enum {
    WRITE_BYTES = 256 << 10,
    READ_MIN = 16 << 10,
    ALIGNMENT = 8,
};

/* An entry in memory and in a run. Its data follow, padded to the alignment. */
typedef struct {
    XtfSortKey key;
    uint64_t size;
} Head;

typedef struct {
    uint64_t at, end; /* bytes of the run in the file that were not read yet */
    uint8_t *buffer;
    size_t filled, done, capacity; /* bytes in the buffer; bytes of returned entries */
    Head head;                     /* of the next entry */
} Run;

struct XtfSort {
    size_t memory;
    char *folder;
    uint8_t *bytes; /* entries from the beginning, and their offsets from the end downward */
    size_t used, n_entries;
    bool in_order; /* the entries in memory are in order */
    int file;      /* -1: no run was written */
    uint64_t written;
    GArray *runs; /* of Run */
    guint *heap;  /* indices of runs that have entries, by their next entry; the least is first */
    guint n_heap;
    bool advance;     /* the first run's entry was returned */
    size_t next;      /* number of the next entry in memory */
    bool has_entries; /* the entries in memory are what xtf_sort_next() returns */
};

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns memory that the kernel gives as it is used, and takes back at once. */
static uint8_t *map_memory(size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (bytes == MAP_FAILED)
        g_error("cannot map_memory %zu bytes", size);
    return bytes;
}

XtfSort *xtf_sort_new(size_t memory, const char *folder)
{
    XtfSort *sort = g_new0(XtfSort, 1);

    sort->memory = MAX(padded(memory), 2 * (padded(XTF_SORT_ENTRY_MAX) + sizeof(Head)));
    sort->folder = g_strdup(folder);
    sort->bytes = map_memory(sort->memory);
    sort->in_order = true;
    sort->file = -1;
    sort->runs = g_array_new(FALSE, TRUE, sizeof(Run));
    return sort;
}

static void free_entries(XtfSort *sort)
{
    if (sort->bytes)
        munmap(sort->bytes, sort->memory);
    sort->bytes = NULL;
}

void xtf_sort_free(XtfSort *sort)
{
    if (!sort)
        return;
    for (guint i = 0; i < sort->runs->len; i++)
        g_free(g_array_index(sort->runs, Run, i).buffer);
    g_array_unref(sort->runs);
    free_entries(sort);
    if (sort->file >= 0)
        close(sort->file);
    g_free(sort->heap);
    g_free(sort->folder);
    g_free(sort);
}

static int compare_sort_keys(const XtfSortKey *a, const XtfSortKey *b)
{
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return (a->least > b->least) - (a->least < b->least);
}

/* ---- Entries in memory. */

/* Returns the place of the offset of entry n, counted from the end of the memory. */
static uint32_t *offset_of(const XtfSort *sort, size_t n)
{
    return (uint32_t *)(sort->bytes + sort->memory) - 1 - n;
}

static const Head *head_of(const XtfSort *sort, size_t n)
{
    return (const Head *)(sort->bytes + (size_t)*offset_of(sort, n) * ALIGNMENT);
}

/* Compares two offsets. Later entries are first, since the offsets count down. */
static gint compare_offsets(gconstpointer a, gconstpointer b, gpointer bytes)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare_sort_keys(&((const Head *)((uint8_t *)bytes + (size_t)x * ALIGNMENT))->key,
                                  &((const Head *)((uint8_t *)bytes + (size_t)y * ALIGNMENT))->key);

    return order != 0 ? -order : (x < y) - (x > y);
}

static void sort_entries(XtfSort *sort)
{
    if (!sort->in_order)
        qsort_r(offset_of(sort, sort->n_entries) + 1, sort->n_entries, sizeof(uint32_t), compare_offsets, sort->bytes);
    sort->in_order = true;
}

static bool write_all(XtfSort *sort, const void *data, size_t size, GError **error)
{
    const uint8_t *at = data;

    while (size > 0) {
        ssize_t n = pwrite(sort->file, at, size, (off_t)sort->written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot write a temporary file: %s",
                            sort->folder ? sort->folder : g_get_tmp_dir(), g_strerror(n < 0 ? errno : ENOSPC));
        at += n;
        size -= (size_t)n;
        sort->written += (uint64_t)n;
    }
    return true;
}

/* Writes the entries in memory as a run. */
static bool write_run(XtfSort *sort, GError **error)
{
    g_autoptr(GByteArray) buffer = g_byte_array_sized_new(WRITE_BYTES);
    Run run = {.at = sort->written};

    if (sort->file < 0 && (sort->file = xtf_nameless_file(sort->folder, error)) < 0)
        return false;
    sort_entries(sort);
    for (size_t i = 0; i < sort->n_entries; i++) {
        const Head *head = head_of(sort, i);
        g_byte_array_append(buffer, (const guint8 *)head, (guint)(sizeof *head + padded(head->size)));
        if (buffer->len < WRITE_BYTES && i + 1 < sort->n_entries)
            continue;
        if (!write_all(sort, buffer->data, buffer->len, error))
            return false;
        g_byte_array_set_size(buffer, 0);
    }
    run.end = sort->written;
    g_array_append_val(sort->runs, run);
    sort->n_entries = sort->used = 0;
    return true;
}

bool xtf_sort_add(XtfSort *sort, const XtfSortKey *key, const void *data, uint32_t size, GError **error)
{
    size_t needed = sizeof(Head) + padded(size) + sizeof(uint32_t);

    if (size > XTF_SORT_ENTRY_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "an event of %u bytes is too large to be sorted", size);
    if (sort->used + needed > sort->memory - sort->n_entries * sizeof(uint32_t) && !write_run(sort, error))
        return false;
    Head *head = (Head *)(sort->bytes + sort->used);
    *head = (Head){.key = *key, .size = size};
    memcpy(head + 1, data, size);
    if (sort->in_order && sort->n_entries > 0)
        sort->in_order = compare_sort_keys(&head_of(sort, sort->n_entries - 1)->key, key) <= 0;
    *offset_of(sort, sort->n_entries++) = (uint32_t)(sort->used / ALIGNMENT);
    sort->used += sizeof *head + padded(size);
    return true;
}

/* ---- Merging. */

/* Reads on until the buffer has the head and the data of the next entry. *has is false at the end of the run. */
static bool fill_run(XtfSort *sort, Run *run, bool *has, GError **error)
{
    for (;;) {
        size_t ready = run->filled - run->done;
        if (ready >= sizeof run->head)
            memcpy(&run->head, run->buffer + run->done, sizeof run->head);
        *has = ready >= sizeof run->head && ready >= sizeof run->head + padded(run->head.size);
        if (*has || (ready == 0 && run->at == run->end))
            return true;
        memmove(run->buffer, run->buffer + run->done, ready);
        run->filled = ready;
        run->done = 0;
        if (ready >= sizeof run->head && sizeof run->head + padded(run->head.size) > run->capacity) {
            run->capacity = sizeof run->head + padded(run->head.size);
            run->buffer = g_realloc(run->buffer, run->capacity);
        }
        size_t wanted = (size_t)MIN(run->capacity - ready, run->end - run->at);
        ssize_t n = pread(sort->file, run->buffer + ready, wanted, (off_t)run->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return xtf_fail(error, XTF_ERROR_IO, "cannot read a temporary file: %s", g_strerror(n < 0 ? errno : EIO));
        run->filled += (size_t)n;
        run->at += (uint64_t)n;
    }
}

static Run *run_at(const XtfSort *sort, guint place)
{
    return &g_array_index(sort->runs, Run, sort->heap[place]);
}

/* True if the run at place a of the heap is before the run at place b. With equal keys, the earlier run is first. */
static bool run_precedes(const XtfSort *sort, guint a, guint b)
{
    int order = compare_sort_keys(&run_at(sort, a)->head.key, &run_at(sort, b)->head.key);

    return order != 0 ? order < 0 : sort->heap[a] < sort->heap[b];
}

static void sift_down(XtfSort *sort, guint place)
{
    for (;;) {
        guint least = place, child = 2 * place + 1;
        for (guint i = child; i < MIN(child + 2, sort->n_heap); i++)
            if (run_precedes(sort, i, least))
                least = i;
        if (least == place)
            return;
        guint moved = sort->heap[place];
        sort->heap[place] = sort->heap[least];
        sort->heap[least] = moved;
        place = least;
    }
}

static bool begin_merging(XtfSort *sort, GError **error)
{
    size_t share = MAX(sort->memory / sort->runs->len / ALIGNMENT * ALIGNMENT, READ_MIN);
    bool has;

    free_entries(sort);
    sort->heap = g_new(guint, sort->runs->len);
    for (guint i = 0; i < sort->runs->len; i++) {
        Run *run = &g_array_index(sort->runs, Run, i);
        run->capacity = MIN(share, (size_t)WRITE_BYTES * 4);
        run->buffer = g_malloc(run->capacity);
        if (!fill_run(sort, run, &has, error))
            return false;
        sort->heap[sort->n_heap++] = i;
    }
    for (guint i = sort->n_heap; i-- > 0;)
        sift_down(sort, i);
    return true;
}

bool xtf_sort_end(XtfSort *sort, GError **error)
{
    if (sort->runs->len == 0) {
        sort_entries(sort);
        sort->has_entries = true;
        return true;
    }
    return (sort->n_entries == 0 || write_run(sort, error)) && begin_merging(sort, error);
}

static void return_entry(const Head *head, XtfSortEntry *entry)
{
    *entry = (XtfSortEntry){.key = head->key, .size = (uint32_t)head->size, .data = head + 1};
}

/* Advances the first run of the heap to its next entry. */
static bool advance_first(XtfSort *sort, GError **error)
{
    Run *run = run_at(sort, 0);
    bool has;

    run->done += sizeof run->head + padded(run->head.size);
    if (!fill_run(sort, run, &has, error))
        return false;
    if (!has) {
        g_clear_pointer(&run->buffer, g_free);
        sort->heap[0] = sort->heap[--sort->n_heap];
    }
    sift_down(sort, 0);
    return true;
}

bool xtf_sort_next(XtfSort *sort, XtfSortEntry *entry, GError **error)
{
    *entry = (XtfSortEntry){0};
    if (sort->has_entries) {
        if (sort->next < sort->n_entries)
            return_entry(head_of(sort, sort->next++), entry);
        return true;
    }
    if (sort->advance && !advance_first(sort, error))
        return false;
    sort->advance = sort->n_heap > 0;
    if (sort->n_heap > 0) {
        Run *run = run_at(sort, 0);
        return_entry((const Head *)(run->buffer + run->done), entry);
    }
    return true;
}

guint xtf_sort_n_runs(const XtfSort *sort)
{
    return sort->runs->len;
}
