/*
 * Threads of OpenMP outside of teams. They are `omp_idle` while the process forks no team, and `omp_limited` while
 * other threads are in a parallel region. Scalasca (OMP_IDLE_THREADS, OMP_LIMITED_PARALLELISM) charges the thread that
 * forks with both, once for each idle thread; here each thread has its own waits. A thread counts if it is ever in a
 * team, from the process's first record to its last one.
 */
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/wait-kinds.h"

typedef struct {
    uint32_t n_forks; /* open forks */
    uint64_t number;  /* number of the outermost fork */
    uint64_t since;   /* time of the last outermost join, or the process's beginning */
    uint64_t fork, fork_seq, fork_row;
    uint32_t master; /* location that forked */
} Process;

typedef struct {
    uint64_t ended;     /* end of its last team */
    uint64_t number;    /* number of the outermost fork of its last team */
    uint64_t seq, time; /* of the location's last row */
    uint32_t depth;     /* number of teams that it is in */
} Thread;

struct XtfKindIdle {
    Process *processes;
    Thread *threads;
};

XtfKindIdle *xtf_kind_idle_new(const XtfKinds *kinds)
{
    XtfKindIdle *idle = g_new0(XtfKindIdle, 1);

    idle->processes = g_new0(Process, kinds->n_processes + 1);
    idle->threads = g_new0(Thread, kinds->n_locations + 1);
    for (uint32_t i = 0; i < kinds->n_processes; i++)
        idle->processes[i].since = kinds->processes[i].first;
    return idle;
}

void xtf_kind_idle_free(XtfKindIdle *idle)
{
    if (!idle)
        return;
    g_free(idle->processes);
    g_free(idle->threads);
    g_free(idle);
}

uint64_t xtf_kind_idle_since(const XtfKinds *kinds, uint32_t location)
{
    return kinds->idle->threads[location].ended;
}

/* Adds waits until `to` for all threads of a process that were in no team since `from`. Returns the sum of the
 * waits. */
static uint64_t add_idle_waits(XtfKinds *kinds, uint32_t number, uint8_t kind, uint64_t from, uint64_t to)
{
    const XtfKindProcess *process = &kinds->processes[number];
    const Process *state = &kinds->idle->processes[number];
    uint64_t sum = 0;

    for (uint32_t i = process->first_location; i < process->first_location + process->n_locations; i++) {
        const XtfKindLocation *location = &kinds->locations[i];
        const Thread *thread = &kinds->idle->threads[i];
        bool took_part = kind == XTF_LABEL_omp_limited && thread->number == state->number;
        if (!location->rows.any_team || i == state->master || took_part)
            continue;
        const XtfKindRow row = {.time = thread->time, .seq = thread->seq, .region = UINT32_MAX};
        XtfKindWait wait = xtf_kinds_new_wait(location, &row, kind);
        wait.begin = MAX(from, thread->ended);
        wait.end = to;
        wait.culprit = kinds->locations[state->master].index;
        wait.culprit_seq = state->fork_seq;
        wait.match = state->fork_row;
        xtf_kinds_wait(kinds, NULL, &wait);
        sum += to > wait.begin ? to - wait.begin : 0;
    }
    return sum;
}

/* Passes a record of the thread that forks and joins on to the consumer. */
static void pass_fork_or_join(XtfKinds *kinds, const XtfKindLocation *location, const XtfKindRow *row, XtfKindSync sync,
                              uint64_t idle)
{
    XtfKindWait wait = xtf_kinds_new_wait(location, row, XTF_LABEL_omp_idle);

    wait.sync = (uint8_t)sync;
    wait.culprit_seq = row->seq;
    wait.sync_ticks = idle;
    xtf_kinds_wait(kinds, NULL, &wait);
}

static void take_fork(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Process *process = &kinds->idle->processes[location->process];

    if (process->n_forks++ > 0)
        return;
    process->master = location->rows.number;
    process->number++;
    process->fork = row->time;
    process->fork_seq = row->seq;
    process->fork_row = row->row;
    uint64_t idle = add_idle_waits(kinds, location->process, XTF_LABEL_omp_idle, process->since, row->time);
    pass_fork_or_join(kinds, location, row, XTF_KIND_FORKS, idle);
}

static void take_join(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Process *process = &kinds->idle->processes[location->process];

    if (process->n_forks == 0 || --process->n_forks > 0)
        return;
    add_idle_waits(kinds, location->process, XTF_LABEL_omp_limited, process->fork, row->time);
    process->since = row->time;
    if (process->master == location->rows.number)
        pass_fork_or_join(kinds, location, row, XTF_KIND_JOINS, 0);
}

void xtf_kind_idle_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Thread *thread = &kinds->idle->threads[location->rows.number];

    thread->seq = row->seq;
    thread->time = row->time;
    if (row->row_event == XTF_KIND_ROW_FORK)
        take_fork(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_JOIN)
        take_join(kinds, location, row);
    if (row->row_event == XTF_KIND_ROW_TEAM_BEGIN) {
        thread->depth++;
        thread->number = kinds->idle->processes[location->process].number;
    } else if (row->row_event == XTF_KIND_ROW_TEAM_END && thread->depth > 0 && --thread->depth == 0) {
        thread->ended = row->time;
    }
}

/* Ends the waits of a process that are still open, at its last record. An OpenMP fork, or the join of an open one,
 * would have ended them. */
static void finish_process(XtfKinds *kinds, uint32_t number)
{
    const Process *process = &kinds->idle->processes[number];
    uint64_t last = kinds->processes[number].last;

    if (process->number == 0)
        return;
    if (process->n_forks > 0) {
        add_idle_waits(kinds, number, XTF_LABEL_omp_limited, process->fork, last);
        return;
    }
    const XtfKindLocation *master = &kinds->locations[process->master];
    const XtfKindRow row = {.time = master->rows.last, .seq = master->rows.last_seq, .region = UINT32_MAX};
    uint64_t idle = add_idle_waits(kinds, number, XTF_LABEL_omp_idle, process->since, last);
    pass_fork_or_join(kinds, master, &row, XTF_KIND_ENDS, idle);
}

void xtf_kind_idle_finish(XtfKinds *kinds)
{
    for (uint32_t i = 0; i < kinds->n_processes; i++)
        finish_process(kinds, i);
}
