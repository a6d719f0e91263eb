#include "src/tables/waiting/thread-states.h"

static bool is_main(const XtfStatedLevel *level, const XtfLocation *location)
{
    return level->main == UINT32_MAX || location->thread == level->main;
}

/* True if the threads [first, end) of a process have called MPI in a way that a level excludes. */
static bool breaks_level(const XtfThreadStates *known, uint32_t first, uint32_t end, const XtfStatedLevel *level)
{
    unsigned n_in_call = 0;

    for (uint32_t i = first; i < end; i++) {
        bool excluded = level->level < XTF_LEVEL_SERIALIZED && !is_main(level, &known->locations->all[i]);
        if (excluded && known->uses[i] & (XTF_USE_EXCHANGED | XTF_USE_IN_CALL))
            return true;
        n_in_call += (known->uses[i] & XTF_USE_IN_CALL) != 0;
    }
    return n_in_call > 1;
}

/* True if a thread without an open call does not call MPI before another one has returned from its call. `waits`: a
 * thread of its process waits in a call. */
static bool is_silent(const XtfThreadStates *known, uint32_t index, const XtfStatedLevel *level, bool waits)
{
    unsigned use = known->uses[index];

    switch (level->level) {
    case XTF_LEVEL_SINGLE:
    case XTF_LEVEL_FUNNELED:
        return !is_main(level, &known->locations->all[index]);
    case XTF_LEVEL_SERIALIZED:
        return waits || !(use & (XTF_USE_EXCHANGED | XTF_USE_IS_PROGRAM));
    case XTF_LEVEL_MULTIPLE:
        return !(use & (XTF_USE_EXCHANGED | XTF_USE_IS_PROGRAM));
    case XTF_LEVEL_UNKNOWN:
    case XTF_N_LEVELS:
        break;
    }
    return !(use & XTF_USE_EXCHANGED) && !(known->has_init_thread && use & XTF_USE_IS_PROGRAM);
}

/* Sets the states of the threads [first, end) of a process, except threads that wait. */
static void set_states_of_proc(const XtfThreadStates *known, uint8_t *states, uint32_t first, uint32_t end)
{
    uint64_t proc = known->locations->all[first].proc;
    const XtfStatedEnd *stated = g_hash_table_lookup(known->ends, &proc);
    XtfStatedLevel none = {0}, *level = g_hash_table_lookup(known->levels, &proc);
    bool has_ended = stated && stated->kind != XTF_END_UNKNOWN && stated->kind != XTF_END_COLLECTOR &&
                     !xtf_end_is_failure(stated->kind);
    bool waits = false;

    level = level ? level : &none;
    if (level->level != XTF_LEVEL_UNKNOWN && breaks_level(known, first, end, level))
        level->level = XTF_LEVEL_MULTIPLE;
    for (uint32_t i = first; i < end; i++)
        waits |= states[i] == XTF_THREAD_WAITS;
    for (uint32_t i = first; i < end; i++)
        if (states[i] != XTF_THREAD_WAITS)
            states[i] = is_silent(known, i, level, waits) ? XTF_THREAD_SILENT
                        : has_ended                       ? XTF_THREAD_ENDED
                                                          : XTF_THREAD_RUNS;
}

void xtf_thread_states_set(const XtfThreadStates *known, uint8_t *states)
{
    const XtfLocations *locations = known->locations;

    for (uint32_t first = 0, end; first < locations->n; first = end) {
        for (end = first; end < locations->n && locations->all[end].proc == locations->all[first].proc;)
            end++;
        set_states_of_proc(known, states, first, end);
    }
}
