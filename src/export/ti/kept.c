#include "src/export/ti/kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/analysis/replay/replay.h"

/* ---- Rows. */

static void mark_row(GByteArray **set, uint64_t row)
{
    guint byte = (guint)(row / 8);

    if (!*set)
        *set = g_byte_array_new();
    if (byte >= (*set)->len) {
        guint before = (*set)->len;
        g_byte_array_set_size(*set, byte + 1);
        memset((*set)->data + before, 0, byte + 1 - before);
    }
    (*set)->data[byte] |= (uint8_t)(1u << row % 8);
}

bool xtf_ti_rows_contain(const GByteArray *set, uint64_t row)
{
    return set && row / 8 < set->len && (set->data[row / 8] >> row % 8 & 1);
}

/* ---- The replay. */

static XtfTiRows *rows_of(XtfTiKept *kept, const XtfReplayEvent *at)
{
    return &kept->rows[kept->processes[at->process].first + at->number];
}

static uint64_t pass_event(void *data, const XtfReplayEvent *at)
{
    return 0;
}

static void keep_message(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    mark_row(&rows_of(data, &message->send)->sends, message->send.row);
    mark_row(&rows_of(data, at)->receives, at->row);
}

/* Notes the end of a member. `scratch` is the index of the operation plus 1. */
static void keep_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    XtfTiKept *kept = data;
    XtfTiRows *rows = rows_of(kept, at);

    if (collective->pattern == XTF_REPLAY_NOBODY) {
        kept->n_separate += collective->scratch == 0;
        collective->scratch = 1;
        return;
    }
    if (collective->scratch == 0) {
        const XtfTiOperation operation = {.n_members = collective->n_members};
        g_array_append_val(kept->operations, operation);
        collective->scratch = kept->operations->len;
    }
    const XtfTiEnd end = {.row = at->row, .operation = (uint32_t)collective->scratch - 1, .rank = rank};
    XtfTiOperation *operation = &g_array_index(kept->operations, XtfTiOperation, end.operation);
    if (!rows->ends)
        rows->ends = g_array_new(FALSE, FALSE, sizeof end);
    g_array_append_val(rows->ends, end);
    if (++operation->n_ended == operation->n_members)
        for (uint32_t i = 0; i < collective->n_members; i++)
            operation->sent += collective->members[i].begin.bytes;
}

static bool replay_trace(XtfTiKept *kept, XtfReplay *replay, GError **error)
{
    const XtfReplayConsumer consumer = {
        .data = kept, .send = pass_event, .begin = pass_event, .receive = keep_message, .end = keep_end};
    g_autofree uint32_t *first = xtf_replay_first_locations(replay);
    XtfReplayCounts counts;

    kept->n_processes = xtf_replay_n_processes(replay);
    kept->n_locations = first[kept->n_processes];
    kept->processes = g_new0(XtfTiProcess, (gsize)kept->n_processes + 1);
    kept->rows = g_new0(XtfTiRows, (gsize)kept->n_locations + 1);
    kept->operations = g_array_new(FALSE, TRUE, sizeof(XtfTiOperation));
    for (uint32_t i = 0; i < kept->n_processes; i++)
        kept->processes[i] = (XtfTiProcess){.proc = xtf_replay_process(replay, i)->proc,
                                            .first = first[i],
                                            .n = first[i + 1] - first[i],
                                            .communicating = first[i]};
    if (!xtf_replay_run(replay, &consumer, &counts, error))
        return false;
    kept->uncertain_sends = counts.uncertain_sends;
    kept->uncertain_receives = counts.uncertain_receives;
    kept->uncertain_ends = counts.uncertain_collectives;
    return true;
}

/* ---- Processes. */

/* Finds the location of a process that communicates. */
static bool choose_location(XtfTiKept *kept, XtfTiProcess *process, GError **error)
{
    bool found = false;

    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfTiRows *rows = &kept->rows[i];
        if (!rows->sends && !rows->receives && !rows->ends)
            continue;
        if (found)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                            "process %" PRIu64
                            " has messages or collective operations in several threads: the format has one sequence "
                            "of actions for each process",
                            process->proc);
        process->communicating = i;
        found = true;
    }
    return true;
}

static int compare_with_process(const void *key, const void *process)
{
    uint64_t a = *(const uint64_t *)key, b = ((const XtfTiProcess *)process)->proc;

    return a < b ? -1 : a > b;
}

uint32_t xtf_ti_kept_rank(const XtfTiKept *kept, uint64_t proc)
{
    const XtfTiProcess *found = kept->n_processes ? bsearch(&proc, kept->processes, kept->n_processes,
                                                            sizeof *kept->processes, compare_with_process)
                                                  : NULL;

    return found ? (uint32_t)(found - kept->processes) : UINT32_MAX;
}

bool xtf_ti_kept_find(XtfTiKept *kept, XtfTrace *trace, XtfRunWindow window,
                      void (*progress)(uint64_t done, uint64_t total, void *data), void *progress_data, GError **error)
{
    const XtfReplayOptions options = {
        .window = window, .calls = true, .progress = progress, .progress_data = progress_data};
    g_autoptr(XtfReplay) replay = xtf_replay_new(trace, &options, error);

    if (!replay || !replay_trace(kept, replay, error))
        return false;
    for (uint32_t i = 0; i < kept->n_processes; i++)
        if (!choose_location(kept, &kept->processes[i], error))
            return false;
    return true;
}

void xtf_ti_kept_finish(XtfTiKept *kept)
{
    for (uint32_t i = 0; i < kept->n_locations; i++) {
        g_clear_pointer(&kept->rows[i].sends, g_byte_array_unref);
        g_clear_pointer(&kept->rows[i].receives, g_byte_array_unref);
        g_clear_pointer(&kept->rows[i].ends, g_array_unref);
    }
    kept->n_locations = 0;
    g_clear_pointer(&kept->rows, g_free);
    g_clear_pointer(&kept->processes, g_free);
    g_clear_pointer(&kept->operations, g_array_unref);
}
