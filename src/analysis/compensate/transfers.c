#include "src/analysis/compensate/transfers.h"

typedef struct {
    uint32_t sender, receiver;
    uint64_t bytes; /* or 2^63 plus the class */
    XtfTransfer least;
} Entry;

static const XtfTransfer unknown = {UINT64_MAX, UINT64_MAX};

static guint hash_entry(gconstpointer data)
{
    const Entry *entry = data;
    uint64_t h = entry->bytes * UINT64_C(0x9e3779b97f4a7c15);

    h ^= ((uint64_t)entry->sender << 32 | entry->receiver) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (guint)(h ^ h >> 32);
}

static gboolean equal_entries(gconstpointer a, gconstpointer b)
{
    const Entry *x = a, *y = b;

    return x->sender == y->sender && x->receiver == y->receiver && x->bytes == y->bytes;
}

void xtf_transfers_init(XtfTransfers *transfers)
{
    transfers->pairs = g_hash_table_new_full(hash_entry, equal_entries, NULL, g_free);
    for (unsigned i = 0; i < G_N_ELEMENTS(transfers->all); i++)
        transfers->all[i] = unknown;
}

void xtf_transfers_finish(XtfTransfers *transfers)
{
    g_clear_pointer(&transfers->pairs, g_hash_table_unref);
}

/* Returns the power of two of a number of bytes: 0 for none, else 1 plus that of the highest bit. */
static unsigned class_of(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - (unsigned)__builtin_clzll(bytes);
}

static void note_least(XtfTransfer *least, const XtfTransfer *took)
{
    least->transfer = MIN(least->transfer, took->transfer);
    least->receive = MIN(least->receive, took->receive);
}

/* Notes the least values of a key. `limited`: adds no new entry beyond the limit. */
static void note_entry(XtfTransfers *transfers, const Entry *key, bool limited, const XtfTransfer *took)
{
    Entry *entry = g_hash_table_lookup(transfers->pairs, key);

    if (!entry) {
        if (limited && g_hash_table_size(transfers->pairs) >= XTF_TRANSFERS_MAX)
            return;
        entry = g_memdup2(key, sizeof *key);
        entry->least = unknown;
        g_hash_table_add(transfers->pairs, entry);
    }
    note_least(&entry->least, took);
}

void xtf_transfers_note(XtfTransfers *transfers, uint32_t sender, uint32_t receiver, uint64_t bytes,
                        const XtfTransfer *took)
{
    unsigned class = class_of(bytes);
    Entry key = {.sender = sender, .receiver = receiver, .bytes = bytes & INT64_MAX};

    note_entry(transfers, &key, true, took);
    key.bytes = (UINT64_C(1) << 63) + class;
    note_entry(transfers, &key, false, took);
    note_least(&transfers->all[class], took);
}

/* Fills in values that are not known yet. */
static void fill_unknown(XtfTransfer *values, const XtfTransfer *more)
{
    if (values->transfer == UINT64_MAX)
        values->transfer = more->transfer;
    if (values->receive == UINT64_MAX)
        values->receive = more->receive;
}

XtfTransfer xtf_transfers_of(const XtfTransfers *transfers, uint32_t sender, uint32_t receiver, uint64_t bytes)
{
    static const XtfTransfer zero = {0, 0};
    unsigned class = class_of(bytes);
    Entry key = {.sender = sender, .receiver = receiver, .bytes = bytes & INT64_MAX};
    XtfTransfer values = unknown;

    const Entry *entry = g_hash_table_lookup(transfers->pairs, &key);
    if (entry)
        fill_unknown(&values, &entry->least);
    key.bytes = (UINT64_C(1) << 63) + class;
    entry = g_hash_table_lookup(transfers->pairs, &key);
    if (entry)
        fill_unknown(&values, &entry->least);
    fill_unknown(&values, &transfers->all[class]);
    fill_unknown(&values, &zero);
    return values;
}
