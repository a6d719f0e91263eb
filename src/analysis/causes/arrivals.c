#include "src/analysis/causes/arrivals.h"

#include <string.h>

static guint hash_wait_key(gconstpointer data)
{
    const XtfWaitKey *key = data;
    uint64_t seqs = key->waiter_seq * 31 + key->culprit_seq, locations = (uint64_t)key->waiter << 32 | key->culprit;

    return (guint)((seqs * UINT64_C(0x9e3779b97f4a7c15) ^ locations) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static gboolean equal_wait_keys(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(XtfWaitKey)) == 0;
}

static void free_members(gpointer data)
{
    XtfArrivedMembers *members = data;

    g_ptr_array_unref(members->waits);
    g_free(members);
}

void xtf_arrivals_init(XtfArrivals *arrivals)
{
    *arrivals = (XtfArrivals){
        .waits = g_hash_table_new_full(hash_wait_key, equal_wait_keys, g_free, NULL),
        .operations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_members),
    };
}

void xtf_arrivals_finish(XtfArrivals *arrivals)
{
    g_clear_pointer(&arrivals->waits, g_hash_table_unref);
    g_clear_pointer(&arrivals->operations, g_hash_table_unref);
}

uint64_t xtf_arrivals_n(const XtfArrivals *arrivals)
{
    return arrivals->n_of_members + g_hash_table_size(arrivals->waits);
}

void xtf_arrivals_add(XtfArrivals *arrivals, XtfWait *wait)
{
    g_hash_table_replace(arrivals->waits, wait, wait);
}

const XtfWait *xtf_arrivals_find(const XtfArrivals *arrivals, const XtfWaitKey *key)
{
    return g_hash_table_lookup(arrivals->waits, key);
}

void xtf_arrivals_remove(XtfArrivals *arrivals, const XtfWaitKey *key)
{
    g_hash_table_remove(arrivals->waits, key);
}

XtfArrivedMembers *xtf_arrivals_members(XtfArrivals *arrivals, uint64_t instance)
{
    XtfArrivedMembers *members = g_hash_table_lookup(arrivals->operations, &instance);

    if (!members) {
        members = g_new0(XtfArrivedMembers, 1);
        members->waits = g_ptr_array_new_with_free_func(g_free);
        g_hash_table_insert(arrivals->operations, g_memdup2(&instance, sizeof instance), members);
    }
    return members;
}

const XtfArrivedMembers *xtf_arrivals_add_member(XtfArrivals *arrivals, uint64_t instance, XtfWait *wait)
{
    XtfArrivedMembers *members = xtf_arrivals_members(arrivals, instance);

    members->arrived++;
    if (wait) {
        g_ptr_array_add(members->waits, wait);
        arrivals->n_of_members++;
    }
    return members;
}

void xtf_arrivals_remove_members(XtfArrivals *arrivals, uint64_t instance)
{
    arrivals->n_of_members -= xtf_arrivals_members(arrivals, instance)->waits->len;
    g_hash_table_remove(arrivals->operations, &instance);
}
