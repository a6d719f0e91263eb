#include "src/analysis/replay/replay-private.h"

enum {
    TURNS_MAX = 512,      /* turns between calls that page out: each uses a process, and groups of messages */
    LOCATIONS_MAX = 4096, /* locations between two calls that page out */
};

void xtf_replay_page_out(const XtfReplay *replay)
{
    xtf_paged_page_out(&replay->paged_processes);
    xtf_paged_page_out(&replay->paged_locations);
    xtf_paged_page_out(&replay->paged_envelopes);
    xtf_paged_page_out(&replay->groups.paged);
}

void xtf_replay_page_out_locations(const XtfReplay *replay, const XtfReplayLocation *location)
{
    if ((location - replay->locations) % LOCATIONS_MAX == LOCATIONS_MAX - 1)
        xtf_paged_page_out(&replay->paged_locations);
}

void xtf_replay_page_out_sometimes(XtfReplay *replay)
{
    if (++replay->n_turns < TURNS_MAX)
        return;
    replay->n_turns = 0;
    xtf_replay_page_out(replay);
}

void xtf_replay_end_turn(XtfReplayShare *share)
{
    if (++share->n_turns < TURNS_MAX)
        return;
    share->n_turns = 0;
    xtf_replay_page_out(share->replay);
}
