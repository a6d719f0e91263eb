#include "src/import/chrome/places.h"

#include "src/import/definitions/id-map.h"

void xtf_chrome_places_init(XtfChromePlaces *places)
{
    *places = (XtfChromePlaces){
        .processes = g_array_new(FALSE, FALSE, sizeof(XtfChromeProcess)),
        .locations = g_array_new(FALSE, FALSE, sizeof(XtfChromeLocation)),
        .process_index = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL),
        .location_index = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL),
        .last = UINT32_MAX,
    };
}

void xtf_chrome_places_finish(XtfChromePlaces *places)
{
    g_clear_pointer(&places->processes, g_array_unref);
    g_clear_pointer(&places->locations, g_array_unref);
    g_clear_pointer(&places->process_index, g_hash_table_unref);
    g_clear_pointer(&places->location_index, g_hash_table_unref);
    g_clear_pointer(&places->order, g_free);
    g_clear_pointer(&places->process_order, g_free);
}

/* Returns the index under a key, or UINT32_MAX. */
static uint32_t find_index(GHashTable *index, uint64_t key)
{
    gpointer found;

    return g_hash_table_lookup_extended(index, &key, NULL, &found) ? GPOINTER_TO_UINT(found) : UINT32_MAX;
}

static uint32_t insert_index(GHashTable *index, uint64_t key, uint32_t i)
{
    g_hash_table_insert(index, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(i));
    return i;
}

static bool are_equal(XtfChromeId a, XtfChromeId b)
{
    return a.value == b.value && a.is_text == b.is_text;
}

uint32_t xtf_chrome_process(XtfChromePlaces *places, XtfChromeId pid)
{
    const uint64_t key = (uint64_t)pid.is_text << 32 | pid.value;
    uint32_t i = find_index(places->process_index, key);

    if (i != UINT32_MAX || places->processes->len == XTF_CHROME_PLACES_MAX)
        return i;
    const XtfChromeProcess process = {.pid = pid};
    g_array_append_val(places->processes, process);
    return insert_index(places->process_index, key, places->processes->len - 1);
}

uint32_t xtf_chrome_location(XtfChromePlaces *places, XtfChromeId pid, XtfChromeId tid)
{
    if (G_LIKELY(places->last != UINT32_MAX && are_equal(pid, places->last_pid) && are_equal(tid, places->last_tid)))
        return places->last;
    uint32_t process = xtf_chrome_process(places, pid);
    if (process == UINT32_MAX)
        return UINT32_MAX;
    const uint64_t key = (uint64_t)process << 33 | (uint64_t)tid.is_text << 32 | tid.value;
    uint32_t i = find_index(places->location_index, key);
    if (i == UINT32_MAX && places->locations->len < XTF_CHROME_PLACES_MAX) {
        const XtfChromeLocation location = {.process = process, .tid = tid};
        g_array_append_val(places->locations, location);
        i = insert_index(places->location_index, key, places->locations->len - 1);
    }
    places->last_pid = pid;
    places->last_tid = tid;
    return places->last = i;
}

/* ---- Numbers. */

static gint compare_place_ids(XtfChromeId a, XtfChromeId b)
{
    if (a.is_text != b.is_text)
        return a.is_text ? 1 : -1;
    return (a.value > b.value) - (a.value < b.value);
}

static gint compare_place_processes(gconstpointer a, gconstpointer b, gpointer data)
{
    return compare_place_ids(xtf_chrome_process_at(data, *(const guint *)a)->pid,
                             xtf_chrome_process_at(data, *(const guint *)b)->pid);
}

static gint compare_place_locations(gconstpointer a, gconstpointer b, gpointer data)
{
    const XtfChromeLocation *x = xtf_chrome_location_at(data, *(const guint *)a),
                            *y = xtf_chrome_location_at(data, *(const guint *)b);
    uint32_t p = xtf_chrome_process_at(data, x->process)->row, q = xtf_chrome_process_at(data, y->process)->row;

    return p != q ? (p > q) - (p < q) : compare_place_ids(x->tid, y->tid);
}

static guint *sorted(XtfChromePlaces *places, guint n, GCompareDataFunc compare)
{
    guint *order = g_new(guint, (gsize)n + 1);

    for (guint i = 0; i < n; i++)
        order[i] = i;
    g_qsort_with_data(order, (gint)n, sizeof *order, compare, places);
    return order;
}

void xtf_chrome_places_number(XtfChromePlaces *places)
{
    uint32_t next = 0, process = UINT32_MAX;

    g_free(places->process_order);
    g_free(places->order);
    places->process_order = sorted(places, places->processes->len, compare_place_processes);
    for (guint i = 0; i < places->processes->len; i++) {
        XtfChromeProcess *p = xtf_chrome_process_at(places, places->process_order[i]);
        p->row = i;
        p->proc = p->pid.is_text ? next : p->pid.value;
        next = p->proc + 1;
        p->location = UINT32_MAX;
    }
    places->order = sorted(places, places->locations->len, compare_place_locations);
    for (guint i = 0; i < places->locations->len; i++) {
        XtfChromeLocation *l = xtf_chrome_location_at(places, places->order[i]);
        if (l->process != process)
            next = 0;
        process = l->process;
        l->thread = l->tid.is_text ? next : l->tid.value;
        next = l->thread + 1;
        if (xtf_chrome_process_at(places, process)->location == UINT32_MAX)
            xtf_chrome_process_at(places, process)->location = places->order[i];
    }
}
