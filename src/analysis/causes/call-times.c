#include "src/analysis/causes/call-times.h"

#include <string.h>

#include "src/analysis/causes/scratch-file.h"

typedef struct {
    uint32_t context, unused;
    uint64_t ticks;
} Charge;

struct XtfCallTimes {
    XtfScratchFile *charges;
    XtfScratchFile *marks; /* uint64_t: of each location, where its charges begin, and those behind each point */
    GArray *first;         /* uint64_t, by location: its first mark */
    GHashTable *open;      /* context -> index in `pending`, plus 1 */
    GArray *pending;       /* Charge, since the last mark */
};

XtfCallTimes *xtf_call_times_new(const char *folder, GError **error)
{
    g_autoptr(XtfCallTimes) times = g_new0(XtfCallTimes, 1);

    times->first = g_array_new(false, false, sizeof(uint64_t));
    times->pending = g_array_new(false, false, sizeof(Charge));
    times->open = g_hash_table_new(NULL, NULL);
    times->charges = xtf_scratch_file_new(sizeof(Charge), folder, error);
    times->marks = times->charges ? xtf_scratch_file_new(sizeof(uint64_t), folder, error) : NULL;
    return times->marks ? g_steal_pointer(&times) : NULL;
}

void xtf_call_times_free(XtfCallTimes *times)
{
    if (!times)
        return;
    xtf_scratch_file_free(times->charges);
    xtf_scratch_file_free(times->marks);
    g_array_unref(times->first);
    g_array_unref(times->pending);
    g_hash_table_unref(times->open);
    g_free(times);
}

static bool mark(XtfCallTimes *times, GError **error)
{
    uint64_t at = xtf_scratch_file_n(times->charges);

    return xtf_scratch_file_append(times->marks, &at, error);
}

bool xtf_call_times_begin(XtfCallTimes *times, GError **error)
{
    uint64_t first = xtf_scratch_file_n(times->marks);

    g_array_append_val(times->first, first);
    g_array_set_size(times->pending, 0); /* what is behind the last point of a location is of no use */
    g_hash_table_remove_all(times->open);
    return mark(times, error);
}

uint32_t xtf_call_times_n_locations(const XtfCallTimes *times)
{
    return times->first->len;
}

void xtf_call_times_charge(XtfCallTimes *times, uint32_t context, uint64_t ticks)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(times->open, GUINT_TO_POINTER(context)));
    const Charge charge = {.context = context, .ticks = ticks};

    if (ticks == 0)
        return;
    if (at > 0) {
        g_array_index(times->pending, Charge, at - 1).ticks += ticks;
        return;
    }
    g_array_append_val(times->pending, charge);
    g_hash_table_insert(times->open, GUINT_TO_POINTER(context), GUINT_TO_POINTER(times->pending->len));
}

bool xtf_call_times_point(XtfCallTimes *times, GError **error)
{
    for (guint i = 0; i < times->pending->len; i++) {
        if (!xtf_scratch_file_append(times->charges, &g_array_index(times->pending, Charge, i), error))
            return false;
    }
    g_array_set_size(times->pending, 0);
    g_hash_table_remove_all(times->open);
    return mark(times, error);
}

void xtf_context_times_init(XtfContextTimes *times, uint32_t n_contexts)
{
    *times = (XtfContextTimes){
        .n_contexts = n_contexts,
        .ticks = g_new0(int64_t, n_contexts),
        .touched = g_new(uint32_t, n_contexts),
        .is_touched = g_new0(bool, n_contexts),
    };
}

void xtf_context_times_finish(XtfContextTimes *times)
{
    g_free(times->ticks);
    g_free(times->touched);
    g_free(times->is_touched);
    *times = (XtfContextTimes){0};
}

void xtf_context_times_clear(XtfContextTimes *times)
{
    for (uint32_t i = 0; i < times->n_touched; i++) {
        times->ticks[times->touched[i]] = 0;
        times->is_touched[times->touched[i]] = false;
    }
    times->n_touched = 0;
}

void xtf_context_times_add(XtfContextTimes *times, uint32_t context, int64_t ticks)
{
    if (context >= times->n_contexts)
        return;
    if (!times->is_touched[context]) {
        times->is_touched[context] = true;
        times->touched[times->n_touched++] = context;
    }
    times->ticks[context] += ticks;
}

bool xtf_call_times_sum(XtfCallTimes *times, uint32_t location, uint64_t from, uint64_t to, XtfContextTimes *sum,
                        GError **error)
{
    uint64_t first = g_array_index(times->first, uint64_t, location), begin, end;
    Charge charge;

    if (!xtf_scratch_file_get(times->marks, from == UINT64_MAX ? first : first + 1 + from, &begin, error) ||
        !xtf_scratch_file_get(times->marks, first + 1 + to, &end, error))
        return false;
    for (; begin < end; begin++) {
        if (!xtf_scratch_file_get(times->charges, begin, &charge, error))
            return false;
        xtf_context_times_add(sum, charge.context, (int64_t)charge.ticks);
    }
    return true;
}
