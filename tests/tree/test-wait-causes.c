/* Causes of a wait in a program whose waits are known, waits that cause each other, and rows with wrong references. */
#include <criterion/criterion.h>
#include <string.h>

#include "src/model/wait-kinds.h"
#include "src/tables/totals/waits/wait-causes.h"
#include "tests/tree/traces/writing.h"

/*
 * The locations have no earlier meeting. Location 2 works for 100 ticks and sends to 1, which waits from 30 on.
 * Location 1 works again, does 10 ticks of I/O, and sends at 141 to 0, which waits from 20 on.
 */
enum { FIRST, MIDDLE, LAST, N_LOCATIONS };
enum { MPI, WORK, IO, N_REGIONS };

/* A call with at most one record. */
typedef struct {
    uint8_t location, region;
    uint32_t enter, leave;
    char record; /* 's': a send, 'r': a receive, at the end of the call; else none */
} Call;

static const Call calls[] = {
    {FIRST, WORK, 0, 20, 0},      {FIRST, MPI, 20, 142, 'r'},  {MIDDLE, WORK, 0, 30, 0},
    {MIDDLE, MPI, 30, 101, 'r'},  {MIDDLE, WORK, 101, 131, 0}, {MIDDLE, IO, 131, 141, 0},
    {MIDDLE, MPI, 141, 142, 's'}, {LAST, WORK, 0, 100, 0},     {LAST, MPI, 100, 101, 's'},
};

/* Writes the calls. Their records and the records of messages are numbered together. */
static void write_calls(Writing *writing, const Call *all, size_t n)
{
    uint64_t seq[N_LOCATIONS] = {0};

    for (size_t i = 0; i < n; i++) {
        const Call *call = &all[i];
        uint64_t *own = &seq[call->location];
        XtfEntersLeavesRow row = {
            .time = call->enter, .seq = (*own)++, .region = call->region, .outermost = 1, .depth = 1};
        writing_append(writing, call->location, XTF_MODEL_ENTERS_LEAVES, &row);
        const XtfSendsRow send = {
            .time = call->leave, .seq = *own, .region = MPI, .comm = XTF_NONE32, .request = XTF_NONE64};
        const XtfRecvsRow recv = {
            .time = call->leave, .seq = *own, .region = MPI, .comm = XTF_NONE32, .request = XTF_NONE64};
        *own += call->record != 0;
        if (call->record == 's')
            writing_append(writing, call->location, XTF_MODEL_SENDS, &send);
        else if (call->record == 'r')
            writing_append(writing, call->location, XTF_MODEL_RECVS, &recv);
        row = (XtfEntersLeavesRow){.time = call->leave,
                                   .seq = (*own)++,
                                   .region = call->region,
                                   .event = 1,
                                   .enter = 1,
                                   .outermost = 1,
                                   .depth = 1};
        writing_append(writing, call->location, XTF_MODEL_ENTERS_LEAVES, &row);
    }
}

static XtfWaitsRow wait_of(uint64_t seq, uint64_t end, uint64_t amount, uint32_t culprit, uint64_t match)
{
    return (XtfWaitsRow){.time = end,
                         .seq = seq,
                         .event = XTF_LABEL_late_sender,
                         .amount = amount,
                         .part_kind = UINT8_MAX,
                         .culprit = culprit,
                         .culprit_thread = 0,
                         .context = MPI,
                         .comm = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .bytes = XTF_NONE64,
                         .match = match,
                         .cause = XTF_NONE64};
}

typedef struct {
    uint32_t location;
    XtfWaitsRow row;
} Wait;

static void write_trace(Written *written, const Call *all, size_t n_calls, const Wait *waits, size_t n_waits)
{
    Writing writing = {0};

    writing_begin(&writing);
    for (uint32_t i = 0; i < N_REGIONS; i++) {
        const XtfRegionRow region = {.line = XTF_NONE32, .name = writing_string(&writing, "region")};
        const XtfContextRow context = {.parent = XTF_NONE32, .region = i};
        writing_define(&writing, XTF_MODEL_REGIONS, &region);
        writing_define(&writing, XTF_MODEL_CONTEXTS, &context);
    }
    for (uint32_t i = 0; i < N_LOCATIONS; i++) {
        const XtfLocationRow location = {.id = i, .proc = i, .thread = 0};
        writing_define(&writing, XTF_MODEL_LOCATIONS, &location);
    }
    write_calls(&writing, all, n_calls);
    for (size_t i = 0; i < n_waits; i++)
        writing_append(&writing, waits[i].location, XTF_MODEL_WAITS, &waits[i].row);
    writing_end(&writing, written);
}

static bool is_reserved(const XtfSchema *schema)
{
    return schema == NULL;
}

static bool find_causes(const Written *written, uint32_t location, uint64_t row, XtfWaitCauses *causes, GError **error)
{
    XtfTraceContext context;

    bool found = xtf_trace_context_init(&context, written->trace, false, is_reserved, error) &&
                 xtf_wait_causes_find(causes, &context, location, row, error);
    xtf_trace_context_finish(&context);
    return found;
}

static void check_cause(const XtfWaitCause *cause, uint64_t steps, uint32_t location, uint64_t region, uint64_t cost)
{
    cr_assert(cause->steps == steps && cause->location == location && cause->region == region &&
                  cause->callpath == region && cause->cost == cost,
              "%" PRIu64 " steps, location %u, region %" PRIu64 ": %" PRIu64 " ticks", cause->steps, cause->location,
              cause->region, cause->cost);
}

Test(wait_causes, are_the_work_that_made_the_culprits_late)
{
    const Wait waits[] = {{FIRST, wait_of(3, 141, 121, MIDDLE, 0)}, {MIDDLE, wait_of(3, 100, 70, LAST, 0)}};
    g_auto(Written) written = {0};
    g_auto(XtfWaitCauses) causes = {0};
    GError *error = NULL;

    write_trace(&written, calls, G_N_ELEMENTS(calls), waits, G_N_ELEMENTS(waits));
    cr_assert(find_causes(&written, FIRST, 0, &causes, &error), "%s", error ? error->message : "");
    cr_assert(causes.known && causes.culprit == MIDDLE && causes.culprit_seq == 10 && causes.amount == 121);
    cr_assert(causes.direct == 51 && causes.indirect == 70 && causes.unexplained == 0 && causes.n == 4);
    check_cause(&causes.causes[0], 1, LAST, WORK, 70);
    check_cause(&causes.causes[1], 0, MIDDLE, WORK, 40);
    check_cause(&causes.causes[2], 0, MIDDLE, IO, 10);
    check_cause(&causes.causes[3], 0, MIDDLE, MPI, 1);
}

Test(wait_causes, end_where_waits_cause_each_other)
{
    /* Both locations first receive and then send, and each waits for the other one's send. */
    const Call circle[] = {{FIRST, MPI, 0, 100, 'r'},
                           {FIRST, MPI, 100, 101, 's'},
                           {MIDDLE, MPI, 0, 100, 'r'},
                           {MIDDLE, MPI, 100, 101, 's'}};
    const Wait waits[] = {{FIRST, wait_of(1, 100, 100, MIDDLE, 0)}, {MIDDLE, wait_of(1, 100, 100, FIRST, 0)}};
    g_auto(Written) written = {0};
    g_auto(XtfWaitCauses) causes = {0};

    write_trace(&written, circle, G_N_ELEMENTS(circle), waits, G_N_ELEMENTS(waits));
    cr_assert(find_causes(&written, FIRST, 0, &causes, NULL));
    cr_assert(causes.known && causes.n == 0 && causes.indirect == 100 && causes.unexplained == 100);
}

Test(wait_causes, with_wrong_references_are_errors)
{
    static const struct {
        uint64_t row;
        XtfErrorCode code;
        const char *says;
    } wrong[] = {
        {0, XTF_ERROR_DAMAGED, "process 7, which does not exist"},
        {1, XTF_ERROR_DAMAGED, "row 1 of 'sends'"},
        {2, XTF_ERROR_DAMAGED, "row 0 of 'collectives'"},
        {3, XTF_ERROR_DAMAGED, "record 10 of location 1 names a meeting 11 records before, which do not exist"},
        {4, XTF_ERROR_DAMAGED, "record 3 of location 0 names a meeting 4 records before, which do not exist"},
        {5, XTF_ERROR_DAMAGED, "is 500 ticks long"},
        {9, XTF_ERROR_INVALID, "no wait 9"}};
    Wait waits[9];
    g_auto(Written) written = {0};

    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++)
        waits[i] = (Wait){FIRST, wait_of(3, 141, 1, MIDDLE, 0)};
    waits[0].row.culprit = 7;
    waits[1].row.match = 1;
    waits[2].row.event = XTF_LABEL_wait_barrier;
    waits[3].row.culprit_met = 11;
    waits[4].row.met = 4;
    waits[5].row.amount = 500;
    waits[6].row.event = XTF_LABEL_early_scan; /* a kind of wait whose causes the analysis does not find */
    waits[7].row.culprit = XTF_NONE32;         /* a wait without a culprit */
    waits[8].row.met = XTF_NONE64;             /* a wait without a meeting */
    write_trace(&written, calls, G_N_ELEMENTS(calls), waits, G_N_ELEMENTS(waits));
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_auto(XtfWaitCauses) causes = {0};
        g_autoptr(GError) error = NULL;
        cr_assert(!find_causes(&written, FIRST, wrong[i].row, &causes, &error), "row %" PRIu64, wrong[i].row);
        cr_assert(g_error_matches(error, XTF_ERROR, (gint)wrong[i].code), "%s", error->message);
        cr_assert(strstr(error->message, wrong[i].says), "%s", error->message);
    }
    for (uint64_t row = 6; row <= 8; row++) {
        g_auto(XtfWaitCauses) causes = {0};
        cr_assert(find_causes(&written, FIRST, row, &causes, NULL) && !causes.known && causes.n == 0);
        cr_assert(causes.unexplained == causes.amount);
    }
}
