/* The loaded object files: the program and its libraries. */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/record/core/core.h"

typedef struct {
    uintptr_t address, base;
    bool found, in_program;
    char *path;
} Search;

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    Search *search = data;

    for (unsigned i = 0; i < info->dlpi_phnum && !search->found; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        search->found =
            segment->p_type == PT_LOAD && search->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
    }
    if (!search->found)
        return 0;
    search->base = info->dlpi_addr;
    /* The program itself has no name. A relative name of a library is valid only until the current folder changes. */
    if (!info->dlpi_name || !info->dlpi_name[0]) {
        ssize_t length = readlink("/proc/self/exe", search->path, PATH_MAX - 1);
        search->path[length > 0 ? length : 0] = '\0';
        search->in_program = true;
    } else if (info->dlpi_name[0] == '/' || !realpath(info->dlpi_name, search->path)) {
        strncpy(search->path, info->dlpi_name, PATH_MAX - 1);
        search->path[PATH_MAX - 1] = '\0';
    }
    return 1;
}

uintptr_t xtf_core_find_module(uintptr_t address, char *path, bool *in_program)
{
    Search search = {.address = address, .path = path};
    int saved = errno;

    path[0] = '\0';
    dl_iterate_phdr(look_at_module, &search);
    errno = saved;
    if (in_program)
        *in_program = search.in_program;
    return search.base;
}
