/*
 * find-kinds TRACE: prints the waits that need no messages, as the analysis finds them. Each line has one wait:
 * location, seq, kind, begin, end, location and seq of the culprit, row of its record, completion, part and its kind.
 * Lines are sorted by location, end and seq. Times are ticks of the trace's clock; "-" means none.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/kinds/kinds.h"
#include "src/model/labels.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

static const char *const KINDS[] = {
#define NAME(name, ...) #name,
    XTF_WAITS_EVENTS(NAME)};

static bool append_wait(void *data, const XtfKindWait *wait, GError **error)
{
    g_array_append_val((GArray *)data, *wait);
    return true;
}

static int compare_waits(gconstpointer a, gconstpointer b)
{
    const XtfKindWait *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void print_number(uint64_t number)
{
    if (number == UINT64_MAX)
        printf(" -");
    else
        printf(" %" PRIu64, number);
}

static void print_wait(const XtfLocations *locations, const XtfKindWait *wait)
{
    printf("%" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64, locations->all[wait->location].id, wait->seq,
           KINDS[wait->kind], wait->begin, wait->end);
    print_number(wait->culprit == UINT32_MAX ? UINT64_MAX : locations->all[wait->culprit].id);
    print_number(wait->culprit_seq);
    print_number(wait->match);
    printf(" %" PRIu64 " %" PRIu64 " %s\n", wait->completion, wait->part,
           wait->part_kind == XTF_KIND_NONE ? "-" : xtf_wait_parts[wait->part_kind]);
}

static bool not_reserved(const XtfSchema *schema)
{
    return false;
}

static bool print_waits(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(XtfKindWait));
    XtfTraceContext context;

    bool known = xtf_trace_context_init(&context, trace, false, not_reserved, error);
    const XtfLocations *locations = known ? xtf_trace_context_locations(&context, error) : NULL;
    bool good = locations && xtf_kinds_find(&context, (XtfRunWindow){0}, NULL,
                                            &(XtfKindConsumer){.data = waits, .wait = append_wait}, error);
    g_array_sort(waits, compare_waits);
    for (guint i = 0; good && i < waits->len; i++)
        print_wait(locations, &g_array_index(waits, XtfKindWait, i));
    xtf_trace_context_finish(&context);
    return good;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: find-kinds TRACE\n");
        return 2;
    }
    g_autoptr(XtfTrace) trace = xtf_trace_open(argv[1], NULL, &error);
    if (!trace || !print_waits(trace, &error)) {
        fprintf(stderr, "find-kinds: %s\n", error->message);
        return 1;
    }
    return 0;
}
