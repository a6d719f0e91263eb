/*
 * OpenMP's teams (Scalasca: OMP.pattern). THREAD_TEAM_BEGIN and THREAD_TEAM_END say which threads are in a team. The
 * k-th barriers of all members since their beginning are one barrier. All wait for the last member that enters it.
 * Each time that the threads begin a team is a new team here.
 *
 * The fork of a thread lasts from THREAD_FORK until the thread enters its parallel region.
 */
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/wait-kinds.h"

typedef struct {
    uint32_t location;
    uint64_t enter;
    XtfKindCall *call;
    uint8_t depth; /* number of nested teams that the thread is in */
} Entrant;

typedef struct {
    GArray *entrants; /* Entrant */
    uint32_t n_left;
} Barrier;

/* A thread that entered a parallel region before its team's fork was known. */
typedef struct {
    uint32_t location;
    XtfKindWait wait;
} Forked;

typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row;
} Fork;

/* A team, from its first member's beginning to its last one's end. */
typedef struct {
    XtfKindKey key;
    uint32_t n_begun, n_open;
    Fork fork;
    bool any_entered;
    uint64_t first_enter; /* the first enter of the parallel region */
    GArray *forked;       /* Forked */
    GHashTable *barriers; /* by number: Barrier */
} Team;

typedef struct {
    Team *team;
    uint64_t n_barriers;
    bool entered; /* true once the thread has entered the parallel region */
} Member;

typedef struct {
    GArray *teams; /* Member; the innermost is last */
    GArray *forks; /* Fork; `known` until the team that it made is found */
} Thread;

struct XtfKindTeams {
    GHashTable *teams;   /* by process, team and its number of beginnings: Team */
    GHashTable *begun;   /* by location and team: number of beginnings, uint64_t */
    GHashTable *threads; /* by location: Thread */
};

static void free_barrier(void *pointer)
{
    Barrier *barrier = pointer;

    for (guint i = 0; i < barrier->entrants->len; i++)
        xtf_kind_call_unref(g_array_index(barrier->entrants, Entrant, i).call);
    g_array_unref(barrier->entrants);
    g_free(barrier);
}

static void free_team(void *pointer)
{
    Team *team = pointer;

    g_clear_pointer(&team->forked, g_array_unref);
    g_clear_pointer(&team->barriers, g_hash_table_unref);
    g_free(team);
}

static void free_thread(void *pointer)
{
    Thread *thread = pointer;

    g_clear_pointer(&thread->teams, g_array_unref);
    g_clear_pointer(&thread->forks, g_array_unref);
    g_free(thread);
}

XtfKindTeams *xtf_kind_teams_new(const XtfKinds *kinds)
{
    XtfKindTeams *teams = g_new0(XtfKindTeams, 1);

    teams->teams = xtf_kind_table_new(free_team);
    teams->begun = xtf_kind_table_new(g_free);
    teams->threads = xtf_kind_table_new(free_thread);
    return teams;
}

void xtf_kind_teams_free(XtfKindTeams *teams)
{
    if (!teams)
        return;
    g_hash_table_unref(teams->threads);
    g_hash_table_unref(teams->teams);
    g_hash_table_unref(teams->begun);
    g_free(teams);
}

static Thread *thread_of(XtfKinds *kinds, const XtfKindLocation *location)
{
    const XtfKindKey key = {location->rows.number, 0, 0, 0};
    Thread *thread = xtf_kind_table_get(kinds->teams->threads, &key, sizeof(Thread));

    if (!thread->teams) {
        thread->teams = g_array_new(FALSE, FALSE, sizeof(Member));
        thread->forks = g_array_new(FALSE, FALSE, sizeof(Fork));
    }
    return thread;
}

static Member *innermost(Thread *thread)
{
    return thread->teams->len ? &g_array_index(thread->teams, Member, thread->teams->len - 1) : NULL;
}

/* Returns the number of nested teams that a location is in. */
static uint8_t depth_of(const XtfKindLocation *location, XtfKinds *kinds)
{
    return (uint8_t)MIN(thread_of(kinds, location)->teams->len, UINT8_MAX);
}

/* ---- Forks. */

static void add_fork_wait(XtfKinds *kinds, const Team *team, const Forked *forked)
{
    XtfKindWait wait = forked->wait;

    wait.begin = MIN(MAX(team->fork.time, xtf_kind_idle_since(kinds, forked->location)), wait.end);
    wait.culprit = kinds->locations[team->fork.location].index;
    wait.culprit_seq = team->fork.seq;
    wait.match = team->fork.row;
    xtf_kinds_wait(kinds, NULL, &wait);
}

static void enter_parallel(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Member *member = innermost(thread_of(kinds, location));

    if (!member || member->entered)
        return;
    Team *team = member->team;
    if (!team->any_entered)
        team->first_enter = row->time; /* rows are read in time order */
    Forked forked = {location->rows.number, xtf_kinds_new_wait(location, row, XTF_LABEL_omp_fork)};
    forked.wait.sync = XTF_KIND_FORKED;
    forked.wait.depth = depth_of(location, kinds);
    forked.wait.sync_ticks = row->time - team->first_enter;
    member->entered = team->any_entered = true;
    if (team->fork.known)
        add_fork_wait(kinds, team, &forked);
    else
        g_array_append_val(team->forked, forked);
}

static void handle_fork(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Fork fork = {true, location->rows.number, row->time, row->seq, row->row};
    g_array_append_val(thread_of(kinds, location)->forks, fork);
}

static void handle_join(XtfKinds *kinds, XtfKindLocation *location)
{
    GArray *forks = thread_of(kinds, location)->forks;
    if (forks->len)
        g_array_set_size(forks, forks->len - 1);
}

/* ---- Beginning and end of teams. */

static Team *team_of(XtfKinds *kinds, const XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey location_key = {location->rows.number, row->comm, 0, 0};
    uint64_t *begun = xtf_kind_table_get(kinds->teams->begun, &location_key, sizeof *begun);
    const XtfKindKey key = {kinds->processes[location->process].proc, row->comm, (*begun)++, 0};
    Team *team = xtf_kind_table_get(kinds->teams->teams, &key, sizeof(Team));

    if (!team->forked) {
        team->key = key;
        team->forked = g_array_new(FALSE, FALSE, sizeof(Forked));
        team->barriers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_barrier);
    }
    return team;
}

static void begin_team(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Thread *thread = thread_of(kinds, location);
    Member member = {.team = team_of(kinds, location, row)};
    Fork *fork = thread->forks->len ? &g_array_index(thread->forks, Fork, thread->forks->len - 1) : NULL;

    member.team->n_begun++;
    member.team->n_open++;
    if (fork && fork->known) { /* this thread forked the team */
        member.team->fork = *fork;
        fork->known = false;
        for (guint i = 0; i < member.team->forked->len; i++)
            add_fork_wait(kinds, member.team, &g_array_index(member.team->forked, Forked, i));
        g_array_set_size(member.team->forked, 0);
    }
    g_array_append_val(thread->teams, member);
}

/* Passes a barrier that two threads or more have left on to the consumer. False if the consumer needs none. */
static bool pass_barrier(XtfKinds *kinds, const Barrier *barrier, const Entrant *last, uint64_t *instance)
{
    const XtfKindConsumer *consumer = kinds->consumer;
    uint32_t n = 0;

    if (!consumer->barrier || kinds->failed || !last || !last->call->left)
        return false;
    g_autofree uint32_t *locations = g_new(uint32_t, barrier->entrants->len);
    for (guint i = 0; i < barrier->entrants->len; i++) {
        const Entrant *entrant = &g_array_index(barrier->entrants, Entrant, i);
        if (entrant->call->left)
            locations[n++] = kinds->locations[entrant->location].index;
    }
    const XtfKindBarrier passed = {locations, n, kinds->locations[last->location].index, last->call->seq};
    return n > 1 && consumer->barrier(consumer->data, &passed, instance, &kinds->failed);
}

static void add_barrier_waits(XtfKinds *kinds, const Barrier *barrier)
{
    const Entrant *last = NULL;
    uint64_t instance;

    for (guint i = 0; i < barrier->entrants->len; i++) {
        const Entrant *entrant = &g_array_index(barrier->entrants, Entrant, i);
        if (!last || entrant->enter > last->enter ||
            (entrant->enter == last->enter && entrant->location < last->location))
            last = entrant;
    }
    bool is_passed = pass_barrier(kinds, barrier, last, &instance);
    for (guint i = 0; i < barrier->entrants->len; i++) {
        const Entrant *entrant = &g_array_index(barrier->entrants, Entrant, i);
        const XtfKindRow row = {
            .time = entrant->call->leave, .seq = entrant->call->seq, .region = entrant->call->region};
        XtfKindWait wait = xtf_kinds_new_wait(&kinds->locations[entrant->location], &row, XTF_LABEL_omp_barrier_wait);
        wait.begin = entrant->enter;
        wait.end = last->enter;
        wait.culprit = kinds->locations[last->location].index;
        wait.culprit_seq = last->call->left ? last->call->seq : UINT64_MAX;
        wait.match = last->call->left ? last->call->row : UINT64_MAX;
        wait.depth = entrant->depth;
        if (is_passed) {
            wait.sync = XTF_KIND_BARRIER;
            wait.instance = instance;
        }
        if (entrant->call->left)
            xtf_kinds_wait(kinds, entrant->call, &wait);
    }
}

/* Adds the waits of a team's open barriers, after its last member's end or the trace's. */
static void add_team_waits(XtfKinds *kinds, Team *team)
{
    GHashTableIter iter;
    void *barrier;

    g_hash_table_iter_init(&iter, team->barriers);
    while (g_hash_table_iter_next(&iter, NULL, &barrier))
        add_barrier_waits(kinds, barrier);
    g_hash_table_remove_all(team->barriers);
}

static void end_team(XtfKinds *kinds, XtfKindLocation *location)
{
    Thread *thread = thread_of(kinds, location);
    Member *member = innermost(thread);

    if (!member)
        return;
    Team *team = member->team;
    g_array_set_size(thread->teams, thread->teams->len - 1);
    if (--team->n_open == 0) {
        add_team_waits(kinds, team);
        g_hash_table_remove(kinds->teams->teams, &team->key);
    }
}

/* ---- Barriers. */

static void enter_barrier(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Member *member = innermost(thread_of(kinds, location));

    if (!member)
        return;
    Barrier *barrier = g_hash_table_lookup(member->team->barriers, &member->n_barriers);
    if (!barrier) {
        barrier = g_new0(Barrier, 1);
        barrier->entrants = g_array_new(FALSE, FALSE, sizeof(Entrant));
        g_hash_table_insert(member->team->barriers, g_memdup2(&member->n_barriers, sizeof member->n_barriers), barrier);
    }
    Entrant entrant = {location->rows.number, row->time, xtf_kind_call_ref(xtf_kind_rows_call(&location->rows)),
                       depth_of(location, kinds)};
    if (entrant.call)
        g_array_append_val(barrier->entrants, entrant);
}

static void leave_barrier(XtfKinds *kinds, XtfKindLocation *location)
{
    Member *member = innermost(thread_of(kinds, location));
    Barrier *barrier = member ? g_hash_table_lookup(member->team->barriers, &member->n_barriers) : NULL;

    if (!barrier)
        return;
    barrier->n_left++;
    if (barrier->n_left >= barrier->entrants->len && barrier->n_left >= member->team->n_begun) {
        add_barrier_waits(kinds, barrier);
        g_hash_table_remove(member->team->barriers, &member->n_barriers);
    }
    member->n_barriers++;
}

void xtf_kind_teams_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    if (row->row_event == XTF_KIND_ROW_FORK)
        handle_fork(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_JOIN)
        handle_join(kinds, location);
    else if (row->row_event == XTF_KIND_ROW_TEAM_BEGIN)
        begin_team(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_TEAM_END)
        end_team(kinds, location);
    else if (row->row_event == XTF_KIND_ROW_ENTER && row->special == XTF_KIND_REGION_PARALLEL)
        enter_parallel(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_ENTER && row->special == XTF_KIND_REGION_BARRIER)
        enter_barrier(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_LEAVE && row->special == XTF_KIND_REGION_BARRIER)
        leave_barrier(kinds, location);
}

void xtf_kind_teams_finish(XtfKinds *kinds)
{
    GHashTableIter iter;
    void *team;

    g_hash_table_iter_init(&iter, kinds->teams->teams);
    while (g_hash_table_iter_next(&iter, NULL, &team))
        add_team_waits(kinds, team);
}
