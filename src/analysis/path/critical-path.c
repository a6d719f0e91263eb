#include "src/analysis/path/critical-path.h"

/* The position of the walk. */
typedef struct {
    uint32_t location, next;
    uint64_t time, seq; /* only waits that ended by `time` and at a record before `seq` are on the rest of the path */
    uint32_t jumps;     /* number of jumps at this time */
} Position;

/* True if the walk is in a circle. No two waits of a location end at the same time, so more jumps at one time than
 * locations form a circle. */
static bool is_circle(const XtfPathWalk *walk, const Position *at, const XtfPathWait *wait)
{
    return wait->end == at->time && at->jumps >= walk->n_locations;
}

/* Finds the wait at which the path leaves its location. */
static bool find_wait(const XtfPathWalk *walk, const Position *at, XtfPathWait *wait, bool *found, uint64_t *circles,
                      GError **error)
{
    if (!walk->find_wait(walk->data, at->location, at->time, at->seq, wait, found, error))
        return false;
    if (!*found || !is_circle(walk, at, wait))
        return true;
    ++*circles;
    if (at->time == 0) {
        *found = false;
        return true;
    }
    return walk->find_wait(walk->data, at->location, at->time - 1, UINT64_MAX, wait, found, error);
}

static void jump_to_culprit(Position *at, const XtfPathWait *wait)
{
    bool stays = wait->end == at->time;

    at->jumps = stays ? at->jumps + 1 : 1;
    at->next = stays ? at->next : at->location;
    at->location = wait->culprit;
    at->time = wait->end;
    at->seq = wait->culprit_seq;
}

bool xtf_path_walk(const XtfPathWalk *walk, uint64_t *circles, GError **error)
{
    Position at = {.location = walk->last, .next = XTF_PATH_NOWHERE, .time = walk->end, .seq = walk->seq};
    XtfPathWait wait;
    bool found;

    *circles = 0;
    do {
        if (!find_wait(walk, &at, &wait, &found, circles, error))
            return false;
        XtfPathSegment segment = {.begin = found ? wait.end : MIN(walk->starts[at.location], at.time),
                                  .end = at.time,
                                  .seq = at.seq,
                                  .location = at.location,
                                  .next = at.next};
        if (segment.begin < segment.end && !walk->add_segment(walk->data, &segment, error))
            return false;
        if (found)
            jump_to_culprit(&at, &wait);
    } while (found);
    return true;
}
