#include "src/trace/select/keeper.h"

void xtf_keeper_init(XtfKeeper *keeper, const XtfKeeperMethods *methods, size_t bytes_max, unsigned n_max)
{
    *keeper = (XtfKeeper){.methods = methods, .bytes_max = bytes_max, .n_max = n_max};
    g_mutex_init(&keeper->lock);
    g_cond_init(&keeper->put_back);
    g_queue_init(&keeper->items);
    if (methods->hash)
        keeper->index = g_hash_table_new(methods->hash, methods->equal);
}

static void free_items(const XtfKeeper *keeper, GQueue *items)
{
    GList *link;
    while ((link = g_queue_pop_head_link(items)))
        keeper->methods->free(link->data);
}

void xtf_keeper_finish(XtfKeeper *keeper)
{
    g_clear_pointer(&keeper->index, g_hash_table_unref);
    free_items(keeper, &keeper->items);
    g_cond_clear(&keeper->put_back);
    g_mutex_clear(&keeper->lock);
}

static void *find_item(const XtfKeeper *keeper, const void *wanted)
{
    if (keeper->index)
        return g_hash_table_lookup(keeper->index, wanted);
    for (GList *link = keeper->items.head; link; link = link->next) {
        if (keeper->methods->equal(link->data, wanted))
            return link->data;
    }
    return NULL;
}

static void insert_item(XtfKeeper *keeper, XtfKept *item)
{
    item->link.data = item;
    item->busy = true;
    if (keeper->index)
        g_hash_table_add(keeper->index, item);
}

static void reuse_item(XtfKeeper *keeper, XtfKept *item, const void *wanted)
{
    if (!item->users) {
        keeper->bytes -= item->bytes;
        keeper->n_idle--;
    }
    if (keeper->methods->reuse) {
        keeper->methods->reuse(item, wanted);
        item->busy = true;
    }
    g_queue_unlink(&keeper->items, &item->link);
}

void *xtf_keeper_take(XtfKeeper *keeper, void *wanted)
{
    XtfKept *item;

    g_mutex_lock(&keeper->lock);
    while ((item = find_item(keeper, wanted)) && item->busy)
        g_cond_wait(&keeper->put_back, &keeper->lock);
    if (item)
        reuse_item(keeper, item, wanted);
    else
        insert_item(keeper, item = wanted);
    item->users++;
    g_queue_push_head_link(&keeper->items, &item->link);
    g_mutex_unlock(&keeper->lock);
    if (item != wanted)
        keeper->methods->free(wanted);
    return item;
}

static void drop_item(XtfKeeper *keeper, XtfKept *item, GQueue *dropped)
{
    keeper->bytes -= item->bytes;
    keeper->n_idle--;
    if (keeper->index)
        g_hash_table_remove(keeper->index, item);
    g_queue_unlink(&keeper->items, &item->link);
    g_queue_push_tail_link(dropped, &item->link);
}

static void drop_oldest(XtfKeeper *keeper, GQueue *dropped)
{
    GList *link = keeper->items.tail, *previous;

    for (; keeper->n_idle > 1 && (keeper->n_idle > keeper->n_max || keeper->bytes > keeper->bytes_max);
         link = previous) {
        XtfKept *item = link->data;
        previous = link->prev;
        if (!item->users)
            drop_item(keeper, item, dropped);
    }
}

void xtf_keeper_empty(XtfKeeper *keeper)
{
    GQueue dropped = G_QUEUE_INIT;

    g_mutex_lock(&keeper->lock);
    for (GList *link = keeper->items.head, *next; link; link = next) {
        XtfKept *item = link->data;
        next = link->next;
        if (!item->users)
            drop_item(keeper, item, &dropped);
    }
    g_mutex_unlock(&keeper->lock);
    free_items(keeper, &dropped);
}

void xtf_keeper_put(XtfKeeper *keeper, void *item, size_t bytes, bool keep)
{
    XtfKept *kept = item;
    GQueue dropped = G_QUEUE_INIT;

    g_mutex_lock(&keeper->lock);
    kept->busy = false;
    kept->bytes = bytes;
    if (--kept->users == 0) {
        keeper->bytes += bytes;
        keeper->n_idle++;
        if (!keep)
            drop_item(keeper, kept, &dropped);
    }
    drop_oldest(keeper, &dropped);
    g_cond_broadcast(&keeper->put_back);
    g_mutex_unlock(&keeper->lock);
    free_items(keeper, &dropped);
}
