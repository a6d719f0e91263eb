/* Why a wait was, as rows of an analysis say; and rows that lead nowhere. */
#include <criterion/criterion.h>
#include <string.h>

#include "src/query/totals/waits/wait-causes.h"
#include "writing.h"

enum { WAITER, CULPRIT, SENDS = 3 };

static XtfWaitsRow wait_of(uint64_t time, uint8_t kind, uint32_t culprit, uint64_t match)
{
    return (XtfWaitsRow){.time = time,
                         .seq = time,
                         .event = kind,
                         .amount = 100,
                         .indirect = 30,
                         .part_kind = UINT8_MAX,
                         .culprit = culprit,
                         .culprit_thread = 0,
                         .comm = XTF_NONE32,
                         .tag = XTF_NONE32,
                         .bytes = XTF_NONE64,
                         .match = match,
                         .cause = XTF_NONE64};
}

static void write_delay(Writing *writing, uint64_t seq, uint32_t context, uint64_t cost)
{
    const XtfDelaysRow row = {.time = 10 * seq,
                              .seq = seq,
                              .region = context,
                              .event = XTF_LABEL_late_sender,
                              .context = context,
                              .short_term = cost,
                              .long_term = 1};
    writing_append(writing, CULPRIT, XTF_MODEL_DELAYS, &row);
}

static void write_trace(Written *written)
{
    Writing writing = {0};

    writing_begin(&writing);
    for (uint32_t i = 0; i < 2; i++) {
        const XtfRegionRow region = {.line = XTF_NONE32, .name = writing_string(&writing, "region")};
        const XtfLocationRow location = {.id = i, .proc = i, .thread = 0};
        const XtfContextRow context = {.parent = XTF_NONE32, .region = i};
        writing_define(&writing, XTF_MODEL_REGIONS, &region);
        writing_define(&writing, XTF_MODEL_LOCATIONS, &location);
        writing_define(&writing, XTF_MODEL_CONTEXTS, &context);
    }
    for (uint64_t i = 0; i < SENDS; i++) {
        const XtfSendsRow row = {
            .time = 100 * i, .seq = 10 * i, .region = 0, .comm = XTF_NONE32, .request = XTF_NONE64};
        writing_append(&writing, CULPRIT, XTF_MODEL_SENDS, &row);
    }
    write_delay(&writing, 0, 0, 5);
    write_delay(&writing, 10, 0, 20);
    write_delay(&writing, 10, 1, 45);
    write_delay(&writing, 20, 1, 7);
    const XtfWaitsRow waits[] = {
        wait_of(1000, XTF_LABEL_late_sender, CULPRIT, 1),     wait_of(1100, XTF_LABEL_late_sender, 7, 1),
        wait_of(1200, XTF_LABEL_late_sender, CULPRIT, SENDS), wait_of(1300, XTF_LABEL_wait_barrier, CULPRIT, 0),
        wait_of(1400, XTF_LABEL_early_scan, CULPRIT, 0),      wait_of(1500, XTF_LABEL_late_sender, XTF_NONE32, 1),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++)
        writing_append(&writing, WAITER, XTF_MODEL_WAITS, &waits[i]);
    writing_end(&writing, written);
}

static bool is_reserved(const XtfSchema *schema)
{
    return schema == NULL;
}

Test(wait_causes, are_the_delays_of_the_record_that_was_waited_for)
{
    g_auto(Written) written = {0};
    g_auto(XtfWaitCauses) causes = {0};
    XtfTraceContext context;
    GError *error = NULL;

    write_trace(&written);
    xtf_trace_context_init(&context, written.trace, false, is_reserved);
    cr_assert(xtf_wait_causes_find(&causes, &context, WAITER, 0, &error), "%s", error ? error->message : "");
    cr_assert(causes.known && !causes.shared && causes.culprit == CULPRIT && causes.culprit_seq == 10);
    cr_assert(causes.n == 2 && causes.charged == 65 && causes.amount == 100 && causes.indirect == 30);
    cr_assert(causes.causes[0].context == 1 && causes.causes[0].region == 1 && causes.causes[0].cost == 45);
    cr_assert(causes.causes[1].context == 0 && causes.causes[1].cost == 20);
    xtf_trace_context_finish(&context);
}

Test(wait_causes, that_lead_nowhere_are_errors)
{
    static const struct {
        uint64_t row;
        XtfErrorCode code;
        const char *says;
    } wrong[] = {{1, XTF_ERROR_DAMAGED, "process 7, which is none"},
                 {2, XTF_ERROR_DAMAGED, "row 3 of 'sends'"},
                 {3, XTF_ERROR_DAMAGED, "row 0 of 'collectives'"},
                 {6, XTF_ERROR_INVALID, "no wait 6"}};
    g_auto(Written) written = {0};
    XtfTraceContext context;

    write_trace(&written);
    xtf_trace_context_init(&context, written.trace, false, is_reserved);
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_auto(XtfWaitCauses) causes = {0};
        g_autoptr(GError) error = NULL;
        cr_assert(!xtf_wait_causes_find(&causes, &context, WAITER, wrong[i].row, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, (gint)wrong[i].code), "%s", error->message);
        cr_assert(strstr(error->message, wrong[i].says), "%s", error->message);
    }
    for (uint64_t row = 4; row <= 5; row++) { /* a kind whose causes are not looked for, and one of nobody */
        g_auto(XtfWaitCauses) causes = {0};
        cr_assert(xtf_wait_causes_find(&causes, &context, WAITER, row, NULL) && !causes.known && causes.n == 0);
    }
    xtf_trace_context_finish(&context);
}
