#include "src/analysis/replay/replay-private.h"

enum {
    BUFFER = 16 << 10,
};

XtfCallpathLog *xtf_replay_callpaths(XtfReplay *replay)
{
    return &replay->callpaths;
}

void xtf_replay_times_init(XtfReplayTimes *times, const XtfReplay *replay, uint32_t location)
{
    const XtfReplayLocation *of = &replay->locations[location];

    *times = (XtfReplayTimes){0};
    xtf_log_reader_init(&times->reader, &replay->spool, &of->times, BUFFER);
    xtf_replay_page_out_locations(replay, of);
}

void xtf_replay_times_finish(XtfReplayTimes *times)
{
    xtf_log_reader_finish(&times->reader);
}

bool xtf_replay_times_until(XtfReplayTimes *times, uint64_t seq, XtfCallpathTotals *sums, GError **error)
{
    for (;;) {
        if (!times->ahead) {
            if (!xtf_log_next(&times->reader, &times->ahead, &times->end, error))
                return false;
            if (!times->ahead)
                return true;
            times->seq += xtf_log_get_near(&times->ahead);
        }
        if (times->seq > seq)
            return true;
        while (times->ahead < times->end) {
            uint32_t callpath = (uint32_t)xtf_log_get(&times->ahead) - 1;
            xtf_callpath_totals_add(sums, callpath, xtf_log_get(&times->ahead));
        }
        times->ahead = NULL;
    }
}
