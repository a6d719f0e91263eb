/*
 * Collective operations as actions. The format has one communicator: the world. Operations of other communicators
 * become messages of their members.
 */
#include <inttypes.h>

#include "libxtf/error.h"
#include "src/export/ti/ti-export.h"
#include "src/model/labels.h"

enum { NOT_KNOWN, WORLD, OTHER };

/* How the format writes an operation of its world. */
typedef struct {
    const char *operation, *name; /* label of the model; action of the format */
    unsigned n_sizes;             /* how often the line has the size of a block */
    bool computes;                /* a number of instructions of computing follows; always 0 */
    bool has_root;
} NativeForm;

static const NativeForm native_forms[] = {
    {"BARRIER", "barrier", 0, false, false},   {"BCAST", "bcast", 1, false, true},
    {"REDUCE", "reduce", 1, true, true},       {"ALLREDUCE", "allreduce", 1, true, false},
    {"ALLTOALL", "alltoall", 2, false, false}, {"ALLGATHER", "allgather", 2, false, false},
    {"GATHER", "gather", 2, false, true},      {"SCATTER", "scatter", 2, false, true},
};

static const NativeForm *find_native_form(const char *operation)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(native_forms); i++)
        if (g_str_equal(native_forms[i].operation, operation))
            return &native_forms[i];
    return NULL;
}

/* Finds the rank in the file of a member of a communicator. */
static bool find_member(const XtfTiExport *export, uint32_t comm, uint32_t member, uint64_t proc, uint32_t *rank)
{
    uint64_t process;

    if (!xtf_ranks_member(export->ranks, comm, member, proc, &process))
        return false;
    *rank = xtf_ti_kept_rank(&export->kept, process);
    return *rank != UINT32_MAX;
}

/* True if the communicator has all ranks of the file, in their order. */
static bool is_world(XtfTiExport *export, uint32_t comm, uint32_t n, uint64_t proc)
{
    uint32_t rank;

    if (export->worlds[comm] == NOT_KNOWN) {
        bool same = n == export->kept.n_processes;
        for (uint32_t i = 0; same && i < n; i++)
            same = find_member(export, comm, i, proc, &rank) && rank == i;
        export->worlds[comm] = same ? WORLD : OTHER;
    }
    return export->worlds[comm] == WORLD;
}

static void write_native(XtfTiFile *file, const NativeForm *form, uint64_t block, uint32_t root)
{
    g_autoptr(GString) line = g_string_new(form->name);
    char type;

    for (unsigned i = 0; i < form->n_sizes; i++)
        xtf_ti_append_size(line, block, &type);
    if (form->computes)
        g_string_append(line, " 0");
    if (form->has_root)
        g_string_append_printf(line, " %" PRIu32, root);
    for (unsigned i = 0; i < form->n_sizes; i++)
        g_string_append_printf(line, " %c", type);
    xtf_ti_file_put(file, line->str);
}

static void queue_message(XtfTiFile *file, XtfTiKind kind, uint32_t peer, uint32_t tag, uint64_t bytes)
{
    const XtfTiAction action = {.kind = kind, .peer = peer, .tag = tag, .bytes = bytes};

    xtf_ti_file_add(file, &action);
}

/* Writes a round. Non-blocking messages, since members may send to each other. */
static void write_round(XtfTiFile *file, const XtfRound *round, uint32_t to, uint32_t from, uint32_t tag)
{
    if (round->from != XTF_ROUND_NOBODY)
        queue_message(file, XTF_TI_IRECV, from, tag, round->received);
    if (round->to != XTF_ROUND_NOBODY)
        queue_message(file, XTF_TI_ISEND, to, tag, round->sent);
    if (round->from != XTF_ROUND_NOBODY)
        queue_message(file, XTF_TI_WAIT_RECV, from, tag, 0);
    if (round->to != XTF_ROUND_NOBODY)
        queue_message(file, XTF_TI_WAIT_SEND, to, tag, 0);
}

static bool write_rounds(XtfTiExport *export, XtfTiFile *file, XtfRounds *rounds, uint32_t comm, uint64_t proc,
                         GError **error)
{
    const uint32_t tag = xtf_ti_tag_of_operations(export, comm);
    XtfRound round;

    xtf_ti_file_end_call(file);
    while (xtf_rounds_next(rounds, &round)) {
        uint32_t to = 0, from = 0;
        if ((round.to != XTF_ROUND_NOBODY && !find_member(export, comm, round.to, proc, &to)) ||
            (round.from != XTF_ROUND_NOBODY && !find_member(export, comm, round.from, proc, &from)))
            return xtf_damaged(error, "a member of communicator %" PRIu32 " is no process of the trace", comm);
        write_round(file, &round, to, from, tag);
    }
    xtf_ti_file_end_call(file);
    return true;
}

bool xtf_ti_write_operation(XtfTiExport *export, XtfTiFile *file, const XtfCollectivesRow *row, const XtfTiEnd *end,
                            uint64_t proc, GError **error)
{
    const XtfTiOperation *operation = &g_array_index(export->kept.operations, XtfTiOperation, end->operation);
    const char *label = xtf_model_label(xtf_collective_operations, row->operation);
    const NativeForm *form = find_native_form(label);
    const XtfRoundsKind kind = xtf_rounds_kind(label);
    uint64_t block = xtf_rounds_block(&kind, operation->sent, operation->n_members);
    uint32_t root = row->root < operation->n_members ? row->root : 0; /* of an operation without a root, it is none */
    XtfRounds rounds;

    if (row->comm >= export->n_comms)
        return xtf_damaged(error, "an operation of communicator %" PRIu32 ", which is not defined", row->comm);
    if (form && !export->job->expands && is_world(export, row->comm, operation->n_members, proc)) {
        write_native(file, form, block, root);
        return true;
    }
    xtf_rounds_init(&rounds, &kind, operation->n_members, end->rank, root, block);
    return write_rounds(export, file, &rounds, row->comm, proc, error);
}
