#include "src/analysis/replay/replay-private.h"

enum {
    TURNS_MAX = 512,      /* a process that goes on needs itself, and a group for each message */
    LOCATIONS_MAX = 4096, /* gone over one by one */
};

void xtf_replay_rest(XtfReplay *replay)
{
    replay->n_turns = 0;
    xtf_paged_rest(&replay->paged_processes);
    xtf_paged_rest(&replay->paged_locations);
    xtf_paged_rest(&replay->paged_envelopes);
    xtf_paged_rest(&replay->groups.paged);
}

void xtf_replay_rest_after(const XtfReplay *replay, const XtfReplayLocation *location)
{
    if ((location - replay->locations) % LOCATIONS_MAX == LOCATIONS_MAX - 1)
        xtf_paged_rest(&replay->paged_locations);
}

void xtf_replay_rest_sometimes(XtfReplay *replay)
{
    if (++replay->n_turns >= TURNS_MAX)
        xtf_replay_rest(replay);
}
