#include "src/tables/format/descriptions.h"

#include <string.h>

#include "libxtf/vocabulary.h"

typedef struct {
    const char *key, *description;
} Description;

static const Description by_role[] = {
    {XTF_ROLE_REGION,
     "row of definitions/regions: entered or left, or in which it happened; of a value, in which it grew"},
    {XTF_ROLE_ENTER, "so many rows back is: of LEAVE its ENTER, of ENTER the one around it; 0: none"},
    {XTF_ROLE_OUTERMOST, "1 if no other frame of the region is open around this one, else 0"},
    {XTF_ROLE_DEPTH, "how deep the frame stands, 1 being outermost; 0: of LEAVE without ENTER"},
    {XTF_ROLE_VALUE, "the value, as its type says"},
    {XTF_ROLE_GROWTH, "what it grew by since the value before"},
    {XTF_ROLE_CULPRIT, "process that was late"},
    {XTF_ROLE_POSTED, "so many records of the location back the receive was posted; 0: by this record"},
};

/* A field's name has the same meaning in all record types of the vocabulary. */
static const Description by_name[] = {
    {"activity", "name of the operation"},
    {"amount", "how long; of the critical path, on the row's call path"},
    {"atomic", "which atomic operation"},
    {"back", "so many records back is the earlier receive"},
    {"bytes_received", "of messages"},
    {"bytes_sent", "of messages"},
    {"category", "kind of the operation"},
    {"cause", "row of the culprit's waits that made it late"},
    {"completion", "what the call took after the other side's, which is no wait"},
    {"context", "row of definitions/contexts: the call path"},
    {"count", "number of tasks"},
    {"creation_flags", "how the file was made: a combination of the recorder's bits"},
    {"creator", "thread of the team that created the task"},
    {"culprit_thread", "number of its thread"},
    {"direction", "whether tasks went to the peer or came from it"},
    {"duration", "of the segment of the critical path, which ends at the row's time"},
    {"earlier_sender", "process that sent the message of the earlier receive"},
    {"earlier_sent", "when it was sent, without probes"},
    {"exit_status", "of the program"},
    {"frame", "number of the slice"},
    {"generation", "number of the task among those of its creator"},
    {"idle", "idle time"},
    {"ideal", "how late the location is on a network that takes no time"},
    {"indirect", "how much of the wait is there because the culprit waited before"},
    {"integer", "the value, if it is signed"},
    {"kind", "row of definitions/message_types"},
    {"lock", "number of the lock"},
    {"lock_type", "EXCLUSIVE or SHARED"},
    {"long_term", "of the waits that those led to, so much is its cost"},
    {"match", "row of the culprit's record"},
    {"matching", "number that the records of one operation have in common"},
    {"mbytes", "memory that is free"},
    {"messages_received", "number of messages"},
    {"messages_sent", "number of messages"},
    {"mflops", "speed of the process"},
    {"mode", "of input and output, how it reads or writes; of the measurement, ON or OFF"},
    {"model", "the threads' programming model"},
    {"mpi", "time in MPI"},
    {"n_arguments", "of the program; they are in num/K/arguments"},
    {"n_to_n", "of MPI_Alltoallv and Alltoallw: 1 if the process exchanges data with all others"},
    {"n_values", "how many values; they are in num/K/metric_values"},
    {"next_process", "where the critical path goes on"},
    {"next_thread", "number of its thread"},
    {"offset", "to which to go, from where whence says"},
    {"operation", "which collective operation"},
    {"operation_flags", "of the operation: a combination of the recorder's bits"},
    {"order", "how often the lock was acquired so far"},
    {"part", "how much of the wait part_kind is about"},
    {"part_kind", "what the part is: VOCABULARY.md, section 9"},
    {"passed", "the waits of others that this one led to, in the end"},
    {"program", "its name"},
    {"propagating", "how much of the wait made others wait later"},
    {"received", "bytes received; of an atomic operation, fetched"},
    {"ranks", "how many processes are in the slice"},
    {"request", "number of the request, which its records have in common until it completes"},
    {"requested", "what was asked for: threads, or bytes"},
    {"result", "the position after it"},
    {"root", "rank of the root in the communicator"},
    {"sched", "time in the scheduler"},
    {"scope", "what the text is about"},
    {"segments", "1 in one row of each segment, else 0"},
    {"sender", "process that sent the message"},
    {"sent", "when the message was sent, without probes"},
    {"sequence", "number of the thread among those created together"},
    {"short_term", "of the waits for it, so much is its cost"},
    {"since", "when the call was entered"},
    {"status_flags", "of the open file: a combination of the recorder's bits"},
    {"stop", "when the flush ended"},
    {"sync_level", "what is synchronized: a combination of the recorder's bits"},
    {"sync_type", "how memory is synchronized"},
    {"task", "number of the task"},
    {"tasks", "time in tasks"},
    {"text", "the value, if it is text"},
    {"total", "of the whole run, on this call path"},
    {"type", "of the value"},
    {"unsigned_integer", "the value, if it is unsigned"},
    {"unwind_distance", "frames that are new since the sample before, in the recorder's count"},
    {"waited", "how long the location waited; of ideal, on the ideal network"},
    {"whence", "from where the offset counts"},
};

static const char *find_description(const Description *described, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(described[i].key, key) == 0)
            return described[i].description;
    return NULL;
}

const char *xtf_field_description(const XtfField *field)
{
    const char *description =
        *field->role ? find_description(by_role, sizeof by_role / sizeof *by_role, field->role) : NULL;

    return description ? description : find_description(by_name, sizeof by_name / sizeof *by_name, field->name);
}
