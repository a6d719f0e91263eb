#include "libxtf/write/pages/space.h"

/* Free pages that older commits still name. They become reusable when these commits expire. */
typedef struct {
    XtfFreePages pages; /* `commit`: the last commit that names something in them */
    gint64 since;       /* time of the commit after that, in microseconds */
} WaitingPages;

struct XtfSpace {
    uint32_t page_size;
    uint32_t kept_commits, kept_seconds;
    GHashTable *uses; /* page -> number of items in it */
    GArray *free;     /* XtfFreePages, ascending; adjacent runs are joined */
    GQueue waiting;   /* WaitingPages, longest waiting first */
    GQueue dropped;   /* WaitingPages dropped by the commit being written; they wait from its end on */
    GArray *listed;   /* XtfFreePages of xtf_space_list() */
    uint64_t commit;  /* number of the commit being written */
    uint64_t kept;    /* older commit whose pages are kept (xtf_space_keep()); 0: none */
    gint64 now;
};

XtfSpace *xtf_space_new(uint32_t page_size, uint32_t kept_commits, uint32_t kept_seconds)
{
    XtfSpace *space = g_new0(XtfSpace, 1);

    space->page_size = page_size;
    space->kept_commits = kept_commits;
    space->kept_seconds = kept_seconds;
    space->uses = g_hash_table_new(g_direct_hash, g_direct_equal);
    space->free = g_array_new(FALSE, FALSE, sizeof(XtfFreePages));
    g_queue_init(&space->waiting);
    g_queue_init(&space->dropped);
    space->listed = g_array_new(FALSE, FALSE, sizeof(XtfFreePages));
    return space;
}

void xtf_space_free(XtfSpace *space)
{
    if (!space)
        return;
    g_hash_table_unref(space->uses);
    g_array_unref(space->free);
    g_queue_clear_full(&space->waiting, g_free);
    g_queue_clear_full(&space->dropped, g_free);
    g_array_unref(space->listed);
    g_free(space);
}

static XtfFreePages *free_at(const XtfSpace *space, guint i)
{
    return &g_array_index(space->free, XtfFreePages, i);
}

/* Returns the number of runs of free pages that begin before a page. */
static guint free_before(const XtfSpace *space, uint64_t page)
{
    guint low = 0, high = space->free->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (free_at(space, middle)->page < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void xtf_space_give_back(XtfSpace *space, uint64_t page, uint64_t n_pages)
{
    guint at = free_before(space, page);

    if (n_pages == 0)
        return;
    if (at > 0 && free_at(space, at - 1)->page + free_at(space, at - 1)->n_pages == page)
        free_at(space, --at)->n_pages += n_pages;
    else
        g_array_insert_vals(space->free, at, &(XtfFreePages){.page = page, .n_pages = n_pages}, 1);
    if (at + 1 < space->free->len &&
        free_at(space, at)->page + free_at(space, at)->n_pages == free_at(space, at + 1)->page) {
        free_at(space, at)->n_pages += free_at(space, at + 1)->n_pages;
        g_array_remove_index(space->free, at + 1);
    }
}

/* Drops a page as of the commit being written. Callers mostly drop adjacent pages one after the other. */
static void drop_page(XtfSpace *space, uint64_t page)
{
    WaitingPages *last = g_queue_peek_tail(&space->dropped);

    if (last && last->pages.page + last->pages.n_pages == page) {
        last->pages.n_pages++;
        return;
    }
    WaitingPages *dropped = g_new(WaitingPages, 1);
    *dropped = (WaitingPages){.pages = {.page = page, .n_pages = 1, .commit = space->commit - 1}};
    g_queue_push_tail(&space->dropped, dropped);
}

void xtf_space_end_commit(XtfSpace *space, gint64 now)
{
    WaitingPages *dropped;

    while ((dropped = g_queue_pop_head(&space->dropped))) {
        dropped->since = now;
        g_queue_push_tail(&space->waiting, dropped);
    }
}

static gint compare_waiting(gconstpointer a, gconstpointer b, gpointer unused)
{
    const WaitingPages *x = a, *y = b;
    return (x->pages.commit > y->pages.commit) - (x->pages.commit < y->pages.commit);
}

void xtf_space_add_free(XtfSpace *space, const XtfFreePages *pages)
{
    if (pages->n_pages > 0 && pages->commit == 0) {
        xtf_space_give_back(space, pages->page, pages->n_pages);
    } else if (pages->n_pages > 0) {
        WaitingPages *waiting = g_new(WaitingPages, 1);
        *waiting = (WaitingPages){.pages = *pages, .since = space->now};
        g_queue_insert_sorted(&space->waiting, waiting, compare_waiting, NULL);
    }
}

static uint64_t last_page(const XtfSpace *space, uint64_t offset, uint64_t length)
{
    return (offset + length - 1) / space->page_size;
}

void xtf_space_use(XtfSpace *space, uint64_t offset, uint64_t length)
{
    for (uint64_t page = offset / space->page_size; page <= last_page(space, offset, length); page++) {
        gpointer key = GSIZE_TO_POINTER(page);
        gsize n = GPOINTER_TO_SIZE(g_hash_table_lookup(space->uses, key));
        g_hash_table_insert(space->uses, key, GSIZE_TO_POINTER(n + 1));
    }
}

void xtf_space_drop(XtfSpace *space, uint64_t offset, uint64_t length)
{
    for (uint64_t page = offset / space->page_size; page <= last_page(space, offset, length); page++) {
        gpointer key = GSIZE_TO_POINTER(page);
        gsize n = GPOINTER_TO_SIZE(g_hash_table_lookup(space->uses, key));
        if (n > 1) {
            g_hash_table_insert(space->uses, key, GSIZE_TO_POINTER(n - 1));
            continue;
        }
        g_hash_table_remove(space->uses, key);
        drop_page(space, page);
    }
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void xtf_space_drop_pages(XtfSpace *space, GArray *pages)
{
    g_array_sort(pages, compare_numbers);
    for (guint i = 0; i < pages->len; i++)
        drop_page(space, g_array_index(pages, uint64_t, i));
}

bool xtf_space_is_used(const XtfSpace *space, uint64_t page, uint64_t n_pages)
{
    GHashTableIter iter;
    gpointer key;

    if (n_pages < g_hash_table_size(space->uses)) {
        for (uint64_t i = 0; i < n_pages; i++)
            if (g_hash_table_contains(space->uses, GSIZE_TO_POINTER(page + i)))
                return true;
        return false;
    }
    g_hash_table_iter_init(&iter, space->uses);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (GPOINTER_TO_SIZE(key) - page < n_pages)
            return true;
    return false;
}

void xtf_space_begin_commit(XtfSpace *space, uint64_t commit, gint64 now)
{
    WaitingPages *oldest;

    space->commit = commit;
    space->now = now;
    while ((oldest = g_queue_peek_head(&space->waiting)) && oldest->pages.commit + space->kept_commits < commit &&
           now - oldest->since >= (gint64)space->kept_seconds * G_USEC_PER_SEC &&
           (space->kept == 0 || oldest->pages.commit < space->kept)) {
        xtf_space_give_back(space, oldest->pages.page, oldest->pages.n_pages);
        g_free(g_queue_pop_head(&space->waiting));
    }
}

void xtf_space_keep(XtfSpace *space, uint64_t commit)
{
    space->kept = commit;
}

bool xtf_space_has(const XtfSpace *space, uint64_t length, uint64_t n)
{
    uint64_t n_pages = (length + space->page_size - 1) / space->page_size, found = 0;

    for (guint i = 0; i < space->free->len && found < n; i++)
        found += free_at(space, i)->n_pages / n_pages;
    return found >= n;
}

bool xtf_space_take(XtfSpace *space, uint64_t length, uint64_t *page, uint64_t *n_pages)
{
    for (guint i = 0; i < space->free->len; i++) {
        const XtfFreePages *found = free_at(space, i);
        if (found->n_pages < (length + space->page_size - 1) / space->page_size)
            continue;
        *page = found->page;
        *n_pages = found->n_pages;
        g_array_remove_index(space->free, i);
        return true;
    }
    return false;
}

bool xtf_space_take_pages(XtfSpace *space, uint64_t behind, uint64_t n_pages, uint64_t *page)
{
    for (guint i = free_before(space, behind + 1); i < space->free->len; i++) {
        XtfFreePages *found = free_at(space, i);
        if (found->n_pages < n_pages)
            continue;
        *page = found->page;
        found->page += n_pages;
        found->n_pages -= n_pages;
        if (found->n_pages == 0)
            g_array_remove_index(space->free, i);
        return true;
    }
    return false;
}

static gint compare_pages(gconstpointer a, gconstpointer b)
{
    const XtfFreePages *x = a, *y = b;
    return (x->page > y->page) - (x->page < y->page);
}

static void list_waiting(XtfSpace *space, const GQueue *queue)
{
    for (GList *link = queue->head; link; link = link->next) {
        const WaitingPages *waiting = link->data;
        g_array_append_val(space->listed, waiting->pages);
    }
}

const XtfFreePages *xtf_space_list(XtfSpace *space, uint32_t *n)
{
    g_array_set_size(space->listed, 0);
    g_array_append_vals(space->listed, space->free->data, space->free->len);
    list_waiting(space, &space->waiting);
    list_waiting(space, &space->dropped);
    g_array_sort(space->listed, compare_pages);
    *n = space->listed->len;
    return (const XtfFreePages *)(const void *)space->listed->data;
}
