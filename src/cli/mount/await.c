#include "src/cli/mount/await.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/print.h"

enum {
    PAUSE_MICROSECONDS = 100000,
};

static bool may_appear(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    return access(path, F_OK) != 0 && access(folder, X_OK) == 0;
}

/* True if the file is empty, or begins with zeros: so it does until its first commit. */
static bool is_blank(const char *path)
{
    static const char zeros[8];
    char beginning[sizeof zeros] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? pread(fd, beginning, sizeof beginning, 0) : -1;

    if (fd >= 0)
        close(fd);
    return n == 0 || (n == sizeof beginning && memcmp(beginning, zeros, sizeof zeros) == 0);
}

/* Returns what must still appear until there is a trace; NULL: the trace cannot appear. */
static const char *awaited_thing(const char *path, const GError *problem)
{
    if (may_appear(path))
        return "the file";
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        return g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_FOUND) ? "the first commit of a part in" : NULL;
    return is_blank(path) ? "the first commit of" : NULL;
}

XtfTrace *xtf_cli_await_trace(const char *path, const XtfOpenOptions *options, bool quiet, GError **error)
{
    const XtfSourceOptions source_options = {.open = options, .quiet = quiet, .no_companion = true};

    for (bool said = quiet;; said = true) {
        g_autoptr(GError) problem = NULL;
        XtfTrace *trace = xtf_cli_open_xtf(path, &source_options, &problem);
        if (trace)
            return trace;
        const char *awaited = awaited_thing(path, problem);
        if (!awaited) {
            /* The writer may have made its first commit meanwhile. */
            if ((trace = xtf_cli_open_xtf(path, &source_options, NULL)))
                return trace;
            if (g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_XTF))
                g_prefix_error(&problem, "only an .xtf file, or a folder of them, can be followed: ");
            g_propagate_error(error, g_steal_pointer(&problem));
            return NULL;
        }
        if (!said)
            xtf_print_line(stderr, "xtf: waiting for %s '%s' (Ctrl-C ends)", awaited, path);
        g_usleep(PAUSE_MICROSECONDS);
    }
}
