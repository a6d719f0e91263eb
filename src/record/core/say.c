#include "src/record/core/inner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *xtf_core_option(const char *name)
{
    char variable[64];

    snprintf(variable, sizeof variable, "XTF_RECORD_%s", name);
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

void xtf_core_say(const char *format, ...)
{
    static const char start[] = "xtf record: ";
    char line[1024];
    int saved = errno;
    va_list arguments;

    memcpy(line, start, sizeof start);
    va_start(arguments, format);
    int length = vsnprintf(line + sizeof start - 1, sizeof line - sizeof start - 1, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        size_t size = strlen(line);
        line[size++] = '\n';
        /* Not write(), which is a cancellation point, and which other libraries take the place of. */
        if (syscall(SYS_write, STDERR_FILENO, line, size) < 0) {
            /* Nobody is there to be told. */
        }
    }
    errno = saved;
}
