/* Creates the part as soon as the number of the process is known. */
#include "src/record/collect/session.h"

/* Returns the first number for processes without a rank: the MPI job's size, since ranks take the numbers below. */
static uint32_t first_free_number(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const char *size = g_getenv(sizes[i]);
        guint64 n;
        if (size && g_ascii_string_to_unsigned(size, 10, 1, 1 << 30, &n, NULL))
            return n;
    }
    return 0;
}

/* Returns the rank in the launcher's environment: for an MPI process that ended before it called MPI_Init(). */
static uint32_t launched_rank(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};

    for (unsigned i = 0; i < G_N_ELEMENTS(ranks); i++) {
        const char *rank = g_getenv(ranks[i]);
        guint64 n;
        if (rank && g_ascii_string_to_unsigned(rank, 10, 0, 1 << 30, &n, NULL))
            return n;
    }
    return XTF_NONE32;
}

enum { WORLD_MAX = 1 << 24 };

/* Sets the size of MPI_COMM_WORLD, for which a table gets one row per rank. The traced process is not trusted, so a
 * size above WORLD_MAX counts as unknown. A bound by the rank is impossible: ranks of spawned worlds begin above 0
 * (src/record/mpi/comms/world.h). */
static void set_world_size(XtfCollector *collector, uint32_t world_size)
{
    collector->world_size = world_size <= WORLD_MAX ? world_size : 0;
    if (world_size > WORLD_MAX)
        xtf_collect_remark(collector,
                           "process %" PRIu32 ": it claims %" PRIu32
                           " processes in MPI_COMM_WORLD: the true number is not known",
                           collector->rank, world_size);
}

/* Returns the greatest number of frames of a call site; 0: ENTERs have no site. All processes of a job have the same
 * option, since their parts need equal schemas. */
static uint32_t site_frames(void)
{
    const char *text = g_getenv("XTF_RECORD_SITES");
    guint64 n;

    return text && g_ascii_string_to_unsigned(text, 10, 0, XTF_WIRE_FRAMES_MAX, &n, NULL) ? (uint32_t)n : 1;
}

static void make_part(XtfCollectSession *session, uint32_t rank, uint32_t world_size)
{
    XtfCollector *collector = &session->collector;
    GError *error = NULL;

    session->begun = true;
    if (!xtf_collect_part_create(&session->part, session->folder, session->options->folder, rank, first_free_number(),
                                 site_frames() > 0, &error)) {
        xtf_collect_fail(session, error);
        return;
    }
    xtf_collector_init(collector, session->part.writer, xtf_collect_rows);
    collector->site_frames = site_frames();
    if (collector->site_frames > 1)
        xtf_collect_tables_use(&collector->tables, XTF_MODEL_SITES, xtf_model_schema_with_frames());
    collector->clock = session->clock;
    collector->rank = session->part.number;
    set_world_size(collector, world_size);
    collector->pid = session->watch.pid;
    collector->choices = (_Atomic uint8_t *)session->memory.process + xtf_wire_choices_at(session->memory.n_rings);
    xtf_collect_process_begin(collector, &session->program);
    if (rank != XTF_WIRE_NONE && session->part.number != rank)
        xtf_collect_remark(collector, "process %" PRIu32 " has rank %" PRIu32 ", which another process had before it",
                           session->part.number, rank);
}

void xtf_collect_begin(XtfCollectSession *session, bool now)
{
    const XtfWireProcess *process = session->memory.process;
    uint32_t phase = atomic_load(&process->phase), rank = atomic_load(&process->rank);

    if (session->begun || (phase == XTF_WIRE_STARTING && !now))
        return;
    if (!xtf_collect_calibrate(&session->calibration, now, &session->clock))
        return;
    if (rank == XTF_WIRE_NONE && session->has_mpi)
        rank = launched_rank();
    make_part(session, rank, atomic_load(&process->world_size));
    xtf_collect_commit(session, 0); /* followers see the part before any time is reported complete */
}
