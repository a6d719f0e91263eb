/*
 * Gaps: intervals in which a location was outside of MPI. A walk over its calls finds them; readers look them up by
 * time.
 */
#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"

enum {
    BUFFER = 16 << 10,
    PER_SECOND = 50000, /* a gap lasts for at least 1/PER_SECOND of a second */
};

uint64_t xtf_replay_find_least_gap(const XtfClock *clock)
{
    uint64_t ticks = clock->resolution_num / clock->resolution_den / PER_SECOND;

    return ticks > 0 ? ticks : UINT64_MAX;
}

bool xtf_replay_gap_put(XtfLogWriter *log, const XtfReplayGap *gap, GError **error)
{
    uint8_t *to = xtf_log_begin(log, error);

    if (!to)
        return false;
    to = xtf_log_put(to, gap->begin);
    to = xtf_log_put(to, gap->end - gap->begin);
    to = xtf_log_put(to, gap->seq);
    xtf_log_end(log, xtf_log_put(to, gap->row));
    return true;
}

/* Makes room for another gap. Needs the lock. */
static bool make_gap_room(XtfReplay *replay, GError **error)
{
    size_t size = (replay->n_gaps + 1) * sizeof *replay->gaps;

    if (size <= replay->paged_gaps.size)
        return true;
    if (!xtf_paged_grow_in_file(&replay->paged_gaps, size + size / 2, error))
        return false;
    replay->gaps = replay->paged_gaps.data;
    return true;
}

/* Moves the gaps of a log to the replay's table. Needs the lock. */
static bool read_gaps(XtfReplay *replay, XtfReplayLocation *location, XtfLogReader *reader, GError **error)
{
    const uint8_t *at, *end;

    location->first_gap = replay->n_gaps;
    for (;;) {
        if (!xtf_log_next(reader, &at, &end, error))
            return false;
        if (!at)
            return true;
        if (!make_gap_room(replay, error))
            return false;
        XtfReplayGap *gap = &replay->gaps[replay->n_gaps++];
        gap->begin = xtf_log_get(&at);
        gap->end = gap->begin + xtf_log_get(&at);
        gap->seq = xtf_log_get(&at);
        gap->row = xtf_log_get(&at);
        location->n_gaps++;
    }
}

bool xtf_replay_gaps_keep(XtfReplay *replay, XtfReplayLocation *location, XtfLogWriter *log, GError **error)
{
    XtfLogReader reader;
    XtfLog all;

    if (!xtf_log_writer_end(log, &all, error))
        return false;
    if (all.bytes == 0)
        return true;
    g_mutex_lock(&replay->lock);
    xtf_log_reader_init(&reader, &replay->spool, &all, BUFFER);
    bool good = read_gaps(replay, location, &reader, error);
    xtf_log_reader_finish(&reader);
    xtf_replay_page_out_gaps(replay);
    g_mutex_unlock(&replay->lock);
    return good;
}

const XtfReplayGap *xtf_replay_gaps(const XtfReplay *replay, uint32_t location, uint64_t *n)
{
    const XtfReplayLocation *of = &replay->locations[location];

    *n = of->n_gaps;
    return replay->gaps + of->first_gap;
}

uint64_t xtf_replay_least_gap(const XtfReplay *replay)
{
    return replay->least_gap;
}

void xtf_replay_page_out_gaps(const XtfReplay *replay)
{
    xtf_paged_page_out(&replay->paged_gaps);
}

bool xtf_replay_is_alone_in_mpi(const XtfReplay *replay, uint32_t process, uint32_t location)
{
    const XtfKnownProcess *known = &replay->known[process];

    for (uint32_t i = 0; i < known->public.n_locations; i++)
        if (i != location && replay->locations[known->first_location + i].was_in_mpi)
            return false;
    return true;
}
