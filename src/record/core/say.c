#include "src/record/core/inner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/job-folder.h"
#include "src/record/job.h"

const char *xtf_core_option(const char *name)
{
    char variable[64];

    snprintf(variable, sizeof variable, "XTF_RECORD_%s", name);
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

uint64_t xtf_core_milliseconds(const char *name)
{
    const char *text = xtf_core_option(name);
    char *end;

    if (!text)
        return 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (strcmp(end, "ms") != 0)
        xtf_core_say("XTF_RECORD_%s is no time: %s", name, text);
    return strcmp(end, "ms") == 0 ? number : 0;
}

/* Appends "process PID: REASON" to the log of the process. */
static void log_refusal(const char *reason)
{
    char name[64], line[1100];
    const char *folder = xtf_core_option("FOLDER");

    if (!folder)
        return;
    mkdir(folder, 0700);
    snprintf(name, sizeof name, XTF_JOB_LOG "%d" XTF_JOB_LOG_ENDING, (int)getpid());
    int log = xtf_job_open_in(folder, name, O_WRONLY | O_CREAT | O_APPEND);
    if (log < 0)
        return;
    int length = snprintf(line, sizeof line, "process %d: %s\n", (int)getpid(), reason);
    if (xtf_core_write(log, line, (size_t)length) < 0) {
        /* The message is on stderr, too. */
    }
    syscall(SYS_close, log);
}

/* Writes a message as one line to stderr, and returns it without the prefix. Does not call write(), which is a
 * cancellation point and which other libraries replace. */
static const char *say_line(char *line, size_t room, const char *format, va_list arguments)
{
    static const char start[] = "xtf record: ";

    memcpy(line, start, sizeof start);
    int length = vsnprintf(line + sizeof start - 1, room - sizeof start, format, arguments);
    if (length < 0)
        return NULL;
    size_t size = strlen(line);
    line[size] = '\n';
    if (xtf_core_write(STDERR_FILENO, line, size + 1) < 0) {
        /* There is no other place for the message. */
    }
    line[size] = 0;
    return line + sizeof start - 1;
}

void xtf_core_say(const char *format, ...)
{
    char line[1024];
    int saved = errno;
    va_list arguments;

    va_start(arguments, format);
    say_line(line, sizeof line, format, arguments);
    va_end(arguments);
    errno = saved;
}

void xtf_core_refuse(const char *format, ...)
{
    char line[1024];
    int saved = errno;
    va_list arguments;

    va_start(arguments, format);
    const char *reason = say_line(line, sizeof line, format, arguments);
    va_end(arguments);
    if (reason)
        log_refusal(reason);
    errno = saved;
}
