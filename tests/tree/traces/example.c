#include "tests/tree/traces/example.h"

#include <criterion/criterion.h>

enum {
    PROCS_MAX = 160,
    DEPTH_MAX = 200,
};

/* The call stack of a process. */
typedef struct {
    uint64_t n_calls, seq;
    unsigned depth;
    struct {
        uint64_t row;
        uint32_t region;
        bool outermost;
    } frames[DEPTH_MAX];
} Process;

static void define_tables(Writing *writing, uint32_t n_procs)
{
    static const char *const regions[EXAMPLE_REGIONS] = {"main", "work", "barrier"};
    static const char *const metrics[EXAMPLE_METRICS] = {"cycles", "load"};

    for (unsigned i = 0; i < EXAMPLE_REGIONS; i++)
        writing_define(writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(writing, regions[i])});
    for (unsigned i = 0; i < EXAMPLE_METRICS; i++)
        writing_define(writing, XTF_MODEL_METRICS, &(XtfMetricRow){.name = writing_string(writing, metrics[i])});
    for (uint32_t proc = 0; proc < n_procs; proc++)
        writing_define(writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = proc, .proc = proc});
}

static void write_enter(Writing *writing, const ExampleEvent *event, Process *process)
{
    unsigned depth = process->depth++;
    bool outermost = true;

    cr_assert_lt(depth, DEPTH_MAX);
    for (unsigned i = 0; i < depth; i++)
        outermost &= process->frames[i].region != event->operand;
    process->frames[depth].row = process->n_calls;
    process->frames[depth].region = event->operand;
    process->frames[depth].outermost = outermost;
    writing_append(writing, event->proc, XTF_MODEL_ENTERS_LEAVES,
                   &(XtfEntersLeavesRow){.time = event->t,
                                         .seq = process->seq,
                                         .region = event->operand,
                                         .event = 0,
                                         .enter = depth ? process->n_calls - process->frames[depth - 1].row : 0,
                                         .outermost = outermost,
                                         .depth = depth + 1});
}

static void write_leave(Writing *writing, const ExampleEvent *event, Process *process)
{
    XtfEntersLeavesRow row = {.time = event->t, .seq = process->seq, .region = event->operand, .event = 1};

    process->depth -= event->kind == EXAMPLE_LEAVE_OUTER;
    if (event->kind != EXAMPLE_LEAVE_LOST) {
        row.depth = process->depth--;
        row.region = process->frames[process->depth].region;
        row.enter = process->n_calls - process->frames[process->depth].row;
        row.outermost = process->frames[process->depth].outermost;
    }
    writing_append(writing, event->proc, XTF_MODEL_ENTERS_LEAVES, &row);
}

static void write_message(Writing *writing, const ExampleEvent *event, const Process *process)
{
    /* A row of `recvs` begins with the fields of `sends`. */
    const XtfRecvsRow row = {.time = event->t,
                             .seq = process->seq,
                             .region = XTF_NONE32,
                             .peer = event->operand,
                             .comm = XTF_NONE32,
                             .bytes = event->bytes,
                             .request = XTF_NONE64};
    writing_append(writing, event->proc, event->kind == EXAMPLE_SEND ? XTF_MODEL_SENDS : XTF_MODEL_RECVS, &row);
}

static void write_value(Writing *writing, const ExampleEvent *event, const Process *process)
{
    static const uint8_t types[] = {
        [EXAMPLE_UNSIGNED] = 4, [EXAMPLE_SIGNED] = 8, [EXAMPLE_REAL] = 10}; /* xtf_value_types */
    const XtfCountersRow counter = {.time = event->t,
                                    .seq = process->seq,
                                    .region = XTF_NONE32,
                                    .metric = event->operand,
                                    .metric_class = XTF_NONE32,
                                    .n_values = 1};
    const XtfMetricValuesRow value = {.time = event->t,
                                      .seq = process->seq,
                                      .metric = event->operand,
                                      .value_type = types[event->kind],
                                      .value = event->u};

    writing_append(writing, event->proc, XTF_MODEL_COUNTERS, &counter);
    writing_append(writing, event->proc, XTF_MODEL_METRIC_VALUES, &value);
}

void example_write(Written *written, const ExampleEvent *events, unsigned n)
{
    Process processes[PROCS_MAX] = {0};
    uint32_t last = 0;
    Writing writing;

    writing_begin(&writing);
    for (const ExampleEvent *event = events; event < events + n; event++)
        last = MAX(last, event->kind == EXAMPLE_SEND || event->kind == EXAMPLE_RECV ? MAX(event->proc, event->operand)
                                                                                    : event->proc);
    cr_assert_lt(last, PROCS_MAX);
    define_tables(&writing, last + 1);
    for (const ExampleEvent *event = events; event < events + n; event++) {
        Process *process = &processes[event->proc];
        if (event->kind == EXAMPLE_ENTER)
            write_enter(&writing, event, process);
        else if (event->kind <= EXAMPLE_LEAVE_LOST)
            write_leave(&writing, event, process);
        else if (event->kind == EXAMPLE_SEND || event->kind == EXAMPLE_RECV)
            write_message(&writing, event, process);
        else
            write_value(&writing, event, process);
        process->n_calls += event->kind <= EXAMPLE_LEAVE_LOST;
        process->seq++;
    }
    writing_end(&writing, written);
}

void example_assert_lines(const Written *written, const char *path, unsigned first, const char *const *lines,
                          unsigned n)
{
    g_autoptr(GRegex) blanks = g_regex_new(" +", 0, 0, NULL);
    GString *text = written_read(written, path);
    g_auto(GStrv) found = g_strsplit(text->str, "\n", -1);

    g_string_free(text, TRUE);
    cr_assert_leq(first + n, g_strv_length(found), "%s has too few lines", path);
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *line = g_regex_replace(blanks, g_strstrip(found[first + i]), -1, 0, " ", 0, NULL);
        cr_assert_str_eq(line, lines[i], "%s, line %u", path, first + i);
    }
}
