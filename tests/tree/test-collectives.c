/* A collective operation whose times are known. Its communicator has more members than memory holds at once. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "src/tables/collectives/collective.h"
#include "tests/tree/traces/writing.h"

enum {
    PROCESSES = 2 * XTF_MEMBERS_AT_ONCE + 100,
    SECOND = 1000000000, /* ticks */
};

typedef enum { BARRIER, SCAN, N_OPERATIONS } Operation;

/* Returns the ticks between the begin of the operation and the arrival of a process. */
static uint64_t delay_of(Operation operation, uint64_t process)
{
    return (process * 2654435761u + operation) % 9973 * 1000;
}

static bool is_sender(Operation operation, uint64_t process)
{
    return operation == SCAN && process % 3 == 0;
}

static uint64_t start_of(Operation operation)
{
    return (uint64_t)(1 + operation) * SECOND;
}

static uint64_t end_of(Operation operation, uint64_t process)
{
    return start_of(operation) + SECOND / 2 + process;
}

static uint8_t label_of(const char *name)
{
    uint8_t i = 0;
    while (!g_str_equal(xtf_collective_operations[i], name))
        i++;
    return i;
}

static void write_process(Writing *writing, uint64_t process)
{
    for (Operation operation = 0; operation < N_OPERATIONS; operation++) {
        XtfCollectivesRow row = {.time = start_of(operation) + delay_of(operation, process),
                                 .seq = 2 * operation,
                                 .region = XTF_NONE32,
                                 .event = XTF_LABEL_MPI_COLLECTIVE_BEGIN,
                                 .operation = UINT8_MAX,
                                 .comm = XTF_NONE32,
                                 .root = XTF_NONE32,
                                 .bytes = XTF_NONE64,
                                 .received = XTF_NONE64,
                                 .request = XTF_NONE64,
                                 .n_to_n = UINT8_MAX};
        writing_append(writing, process, XTF_MODEL_COLLECTIVES, &row);
        row.time = end_of(operation, process);
        row.seq++;
        row.event = XTF_LABEL_MPI_COLLECTIVE_END;
        row.operation = label_of(operation == SCAN ? "SCAN" : "BARRIER");
        row.comm = 0;
        row.bytes = is_sender(operation, process) ? 8 : 0;
        row.received = 8;
        writing_append(writing, process, XTF_MODEL_COLLECTIVES, &row);
    }
}

static void write_trace(Written *written)
{
    Writing writing;

    writing_begin(&writing);
    writing_define(&writing, XTF_MODEL_GROUPS, &(XtfGroupRow){.count = PROCESSES});
    writing_define(&writing, XTF_MODEL_COMMUNICATORS,
                   &(XtfCommunicatorRow){.remote_group = XTF_NONE32, .parent = XTF_NONE32});
    for (uint32_t i = 0; i < PROCESSES; i++) {
        writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = i, .proc = i});
        writing_define(&writing, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = i, .proc = i});
    }
    for (uint64_t i = 0; i < PROCESSES; i++)
        write_process(&writing, i);
    writing_end(&writing, written);
}

/* Parses seconds with nine decimals, as the table prints them. Returns nanoseconds, which are ticks. */
static uint64_t ticks_of(const char *seconds)
{
    char *point;
    uint64_t whole = g_ascii_strtoull(seconds, &point, 10);
    cr_assert(*point == '.' && strlen(point + 1) == 9, "%s", seconds);
    return whole * SECOND + g_ascii_strtoull(point + 1, NULL, 10);
}

/* Returns the expected wait of a process. `*sender` is the latest begin of the senders before it. */
static uint64_t wait_of(Operation operation, uint64_t process, uint64_t last, uint64_t *sender)
{
    uint64_t delay = delay_of(operation, process);

    if (operation == BARRIER)
        return last - delay;
    if (is_sender(operation, process))
        *sender = MAX(*sender, delay);
    return *sender > delay ? *sender - delay : 0;
}

static void check_line(Operation operation, uint64_t process, const char *line, uint64_t wait)
{
    g_auto(GStrv) cells = g_regex_split_simple(" +", line, 0, 0);
    char **cell = **cells ? cells : cells + 1; /* the line may begin with blanks */
    uint64_t completion = operation == BARRIER ? process : 0;

    cr_assert_eq(g_ascii_strtoull(cell[0], NULL, 10), process);
    cr_assert_eq(ticks_of(cell[4]), wait, "process %" PRIu64 " waits %s", process, cell[4]);
    cr_assert_eq(ticks_of(cell[5]), completion, "process %" PRIu64 " takes %s longer", process, cell[5]);
    cr_assert_eq(ticks_of(cell[3]) - ticks_of(cell[2]),
                 end_of(operation, process) - start_of(operation) - delay_of(operation, process));
    cr_assert_str_eq(cell[8], "certain");
}

static void check_operation(const Written *written, Operation operation)
{
    g_autofree char *path = g_strdup_printf("proc/5000/thread/0/collectives/num/%d/members", 2 * operation + 1);
    g_autoptr(GString) text = written_read(written, path);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    uint64_t last = 0, sender = 0;

    cr_assert_eq(g_strv_length(lines), PROCESSES + 2); /* the header, and an empty string after the last newline */
    for (uint64_t i = 0; i < PROCESSES; i++)
        last = MAX(last, delay_of(operation, i));
    for (uint64_t i = 0; i < PROCESSES; i++)
        check_line(operation, i, lines[i + 1], wait_of(operation, i, last, &sender));
}

Test(collectives, more_members_than_memory_holds)
{
    g_auto(Written) written;

    write_trace(&written);
    check_operation(&written, BARRIER);
    check_operation(&written, SCAN);
}
