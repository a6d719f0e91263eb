#include "src/tables/totals/waits/wait-waves.h"

#include "libxtf/error.h"
#include "src/model/wait-kinds.h"
#include "src/tables/totals/waits/wave-iteration.h"

enum {
    SAMPLES = 16, /* most waits of a wave from which the length of an iteration is computed */
};

/* A pass over a wave's waits, from the last one back. */
typedef struct {
    XtfTraceContext *context;
    const XtfWaitFields *fields;
    const XtfLocations *locations;
    XtfWaitWave *wave;
    XtfWaitPlace at;
    uint8_t row[XTF_ROW_MAX]; /* of the wait at `at` */
    GHashTable *procs;
    int64_t distance;  /* ranks from the first process to this one, with sign */
    double iterations; /* sum over the samples, in ticks */
    unsigned n_iterations;
} Walk;

static bool read_current_wait(Walk *walk, GError **error)
{
    const XtfLocation *location = &walk->locations->all[walk->at.location];
    XtfArray array;
    bool found;

    if (!xtf_trace_find_array(walk->context->trace, location->id, walk->fields->schema->id, &array, &found, error))
        return false;
    if (found && walk->at.row < array.n_rows)
        return xtf_array_row(&array, walk->at.row, walk->row, error);
    return xtf_damaged(error, "location %" PRIu64 " has no wait %" PRIu64, location->id, walk->at.row);
}

static bool is_of_messages(const Walk *walk)
{
    const XtfWaitKind *kind = xtf_wait_fields_kind(walk->fields, walk->row);
    return kind && kind->of_message;
}

static void note_wait(Walk *walk)
{
    uint64_t proc = walk->locations->all[walk->at.location].proc;

    if (!g_hash_table_contains(walk->procs, GSIZE_TO_POINTER(proc)))
        g_hash_table_add(walk->procs, GSIZE_TO_POINTER(proc));
    walk->wave->of_messages &= is_of_messages(walk);
}

static bool note_iteration(Walk *walk, GError **error)
{
    uint64_t ticks;

    if (!xtf_wave_iteration(walk->context, walk->fields, &walk->at, &ticks, error))
        return false;
    walk->iterations += (double)ticks;
    walk->n_iterations += ticks > 0;
    return true;
}

/* Adds a step from one process to another, by the shorter way round the ring. */
static void note_step(Walk *walk, const XtfWaitPlace *from, const XtfWaitPlace *to)
{
    const XtfLocations *all = walk->locations;
    int64_t n = (int64_t)all->procs[all->n_procs - 1] + 1;
    int64_t step = (int64_t)all->all[to->location].proc - (int64_t)all->all[from->location].proc;

    step += step > n / 2 ? -n : 2 * step < -n ? n : 0;
    walk->distance += step;
    walk->wave->longest_step = MAX(walk->wave->longest_step, (uint64_t)ABS(step));
}

/* Moves to the cause of the current wait, which must exist. */
static bool move_to_cause(Walk *walk, GError **error)
{
    XtfWaitPlace cause;

    if (!xtf_wait_cause(walk->fields, walk->locations, walk->row, &cause))
        return xtf_damaged(error, "location %" PRIu64 ": wait %" PRIu64 " of a chain names no cause",
                           walk->locations->all[walk->at.location].id, walk->at.row);
    note_step(walk, &cause, &walk->at);
    walk->at = cause;
    return read_current_wait(walk, error);
}

static bool walk_chain(Walk *walk, GError **error)
{
    const XtfWaitChain *chain = &walk->wave->chain;
    const uint64_t every = MAX(chain->n / SAMPLES, 1);

    if (!read_current_wait(walk, error))
        return false;
    walk->wave->last_end = xtf_field_get(&walk->fields->schema->fields[0], walk->row);
    walk->wave->last_begin = walk->wave->last_end - xtf_field_get(walk->fields->amount, walk->row);
    for (uint64_t i = 0; i < chain->n; i++) {
        if (i > 0 && !move_to_cause(walk, error))
            return false;
        note_wait(walk);
        if (i % every == 0 && !note_iteration(walk, error))
            return false;
    }
    walk->wave->kind = xtf_field_get(walk->fields->event, walk->row);
    walk->wave->region = xtf_field_get(walk->fields->region, walk->row);
    return true;
}

bool xtf_wait_wave_measure(XtfWaitWave *wave, const XtfWaitChain *chain, XtfTraceContext *context,
                           const XtfWaitFields *fields, GError **error)
{
    g_autoptr(GHashTable) procs = g_hash_table_new(NULL, NULL);
    Walk walk = {.context = context, .fields = fields, .wave = wave, .at = chain->last, .procs = procs};

    *wave = (XtfWaitWave){.chain = *chain, .of_messages = true};
    if (!(walk.locations = xtf_trace_context_locations(context, error)) || !walk_chain(&walk, error))
        return false;
    wave->n_procs = g_hash_table_size(procs);
    wave->ranks = (uint64_t)ABS(walk.distance);
    wave->iteration = walk.n_iterations ? walk.iterations / walk.n_iterations : 0;
    return true;
}

bool xtf_wait_wave_speed(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed)
{
    if (wave->last_begin <= wave->chain.begin)
        return false;
    *speed = (double)wave->ranks / xtf_seconds_of(scale, wave->last_begin - wave->chain.begin);
    return true;
}

bool xtf_wait_wave_expected(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed)
{
    if (!wave->of_messages || wave->iteration <= 0)
        return false;
    *speed = (double)wave->longest_step / (wave->iteration * xtf_seconds_of(scale, 1));
    return true;
}
