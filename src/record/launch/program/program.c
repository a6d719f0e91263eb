#include "src/record/launch/program/program.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/record/launch/program/command-line.h"
#include "src/record/launch/program/libraries.h"

enum {
    LIBRARIES_MAX = 4096, /* bound of libraries read */
};

/* True if the program has more rights than the user: kernel and dynamic linker load no user libraries into it. */
static bool has_more_rights(const char *file)
{
    struct stat status;

    if (stat(file, &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
           ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid()) ||
           (getuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0);
}

/* A file whose libraries are not yet searched, and the DT_RPATH that they inherit. */
typedef struct {
    char *file, *inherited;
} QueuedFile;

static void free_queued_file(gpointer data)
{
    QueuedFile *queued = data;

    g_free(queued->file);
    g_free(queued->inherited);
    g_free(queued);
}

typedef struct {
    GQueue *queue;
    GHashTable *seen; /* names of libraries already found */
} Search;

/* Checks one library that a file needs: stops at an MPI library, else queues the library's own libraries. */
static bool check_library(Search *search, const char *name, const char *of, const XtfElf *elf, const char *inherited,
                          XtfProgram *program, GError **error)
{
    bool is_other_abi = false;

    if (program->mpi != XTF_MPI_UNKNOWN || !g_hash_table_add(search->seen, g_strdup(name)))
        return true;
    program->mpi = xtf_mpi_of_library(name, &is_other_abi);
    if (is_other_abi)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "%s: it needs %s, an MPI whose calls xtf does not know: Open MPI's libmpi.so.40 and MPICH's "
                        "libmpich.so.12 or libmpi.so.12 are known",
                        of, name);
    if (program->mpi != XTF_MPI_UNKNOWN) {
        program->library = g_strdup(name);
        return true;
    }
    char *file = xtf_library_find(name, of, elf, inherited);
    if (file) {
        QueuedFile *queued = g_new(QueuedFile, 1);
        *queued = (QueuedFile){.file = file,
                               .inherited = elf->old_path ? xtf_library_expand(elf->path, of) : g_strdup(inherited)};
        g_queue_push_tail(search->queue, queued);
    }
    return true;
}

static bool check_libraries(Search *search, const char *file, const XtfElf *elf, const char *inherited,
                            XtfProgram *program, GError **error)
{
    for (guint i = 0; i < elf->needed->len; i++)
        if (!check_library(search, elf->needed->pdata[i], file, elf, inherited, program, error))
            return false;
    return true;
}

/* Searches all libraries, the nearest first, for one of MPI. Skips unreadable libraries: the dynamic linker will report
 * them. */
static bool search_mpi(const char *file, const XtfElf *elf, XtfProgram *program, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Search search = {.queue = g_queue_new(), .seen = seen};
    bool good = check_libraries(&search, file, elf, NULL, program, error);

    while (good && program->mpi == XTF_MPI_UNKNOWN && !g_queue_is_empty(search.queue) &&
           g_hash_table_size(seen) < LIBRARIES_MAX) {
        QueuedFile *next = g_queue_pop_head(search.queue);
        g_auto(XtfElf) library = {0};
        bool is_elf;
        if (xtf_elf_read(next->file, &is_elf, &library, NULL) && is_elf && !library.foreign)
            good = check_libraries(&search, next->file, &library, next->inherited, program, error);
        free_queued_file(next);
    }
    g_queue_free_full(search.queue, free_queued_file);
    return good;
}

static bool refuse_program(const char *file, const XtfElf *elf, GError **error)
{
    const char *fault =
        elf->foreign     ? "it is a program of another machine, into which nothing of xtf's can be loaded"
        : elf->is_static ? "it is linked statically, so nothing can be loaded into it: link it against shared libraries"
        : has_more_rights(file)
            ? "it has more rights than you (setuid, setgid or capabilities), so the system loads nothing into it: run "
              "a copy without them"
            : NULL;
    return fault && !xtf_fail(error, XTF_ERROR_UNSUPPORTED, "%s: %s", file, fault);
}

bool xtf_program_examine(const char *path, XtfProgram *program, GError **error)
{
    g_auto(XtfProgram) result = {.mpi = XTF_MPI_UNKNOWN};
    g_auto(XtfElf) elf = {0};
    bool is_script, is_elf;
    g_autofree char *file = xtf_find_interpreter(path, &is_script, error);

    if (!file || !xtf_elf_read(file, &is_elf, &elf, error))
        return false;
    if (is_elf) {
        g_autofree char *real =
            xtf_real_path(file); /* $ORIGIN is the program's real folder, not the folder of a link */
        if (refuse_program(file, &elf, error) || !search_mpi(real ? real : file, &elf, &result, error))
            return false;
        result.defines_init = elf.defines_init && result.mpi == XTF_MPI_UNKNOWN;
    }
    *program = result;
    result = (XtfProgram){0};
    return true;
}

void xtf_program_finish(XtfProgram *program)
{
    g_clear_pointer(&program->library, g_free);
}
