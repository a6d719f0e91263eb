#include "src/record/mpi/pmpi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/core/core.h"

XtfMpiTable xtf_pmpi, xtf_mpi_next;

#define GLOBAL(name) void *xtf_mpi_global_##name;
XTF_MPI_GLOBALS(GLOBAL)
#undef GLOBAL

#define NAME(name) #name,
static const char *const names[] = {XTF_MPI_FUNCTIONS(NAME) "Pcontrol"};
#undef NAME
enum { N_FUNCTIONS = sizeof names / sizeof *names };
_Static_assert(sizeof(XtfMpiTable) == N_FUNCTIONS * sizeof(void *), "a table is a list of pointers");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool loaded;
/* The library, if it was opened by the program in a scope of its own; NULL: its names are everywhere. */
static void *library;

/* The next definition behind this library, in the order in which the program's libraries were loaded. */
static void *find(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);

    return found || !library ? found : dlsym(library, symbol);
}

/* A variable. Programs that name it may have a copy of their own, which is the one that counts, before this library. */
static __attribute__((unused)) void *find_variable(const char *symbol)
{
    void *found = dlsym(RTLD_DEFAULT, symbol);

    return found || !library ? found : dlsym(library, symbol);
}

/* For dl_iterate_phdr: whether an object, or a library it needs, is MPI. */
static int find_library(struct dl_phdr_info *info, size_t size, void *user)
{
    void **found = user;
    void *handle = info->dlpi_name[0] ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (!handle)
        return 0;
    if (dlsym(handle, "PMPI_Init")) {
        *found = handle; /* and keeps it loaded, as we do call it */
        return 1;
    }
    dlclose(handle);
    return 0;
}

/* Programs ask whether MPI is there by looking for these two. */
static int no_mpi(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static void missing(void)
{
    xtf_core_say("a function of MPI was called that the program's MPI library does not have");
    abort();
}

static void look_up(void)
{
    const char *stack = xtf_core_option("STACK");
    void *next[N_FUNCTIONS], *own[N_FUNCTIONS];
    char symbol[64] = "PMPI_";

    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        strncpy(symbol + 5, names[i], sizeof symbol - 6);
        own[i] = find(symbol);
        next[i] = stack && strcmp(stack, "1") == 0 ? find(symbol + 1) : own[i];
        if (!next[i])
            next[i] = own[i] ? own[i] : (void *)missing;
    }
    memcpy(&xtf_pmpi, own, sizeof own);
    memcpy(&xtf_mpi_next, next, sizeof next);
#define GLOBAL(name) xtf_mpi_global_##name = find_variable(#name);
    XTF_MPI_GLOBALS(GLOBAL)
#undef GLOBAL
}

bool xtf_pmpi_load(void)
{
    bool found;

    if (atomic_load_explicit(&loaded, memory_order_acquire))
        return true;
    pthread_mutex_lock(&lock);
    found = loaded;
    if (!found) {
        library = NULL;
        if (!dlsym(RTLD_NEXT, "PMPI_Init"))
            dl_iterate_phdr(find_library, &library);
        look_up();
        found = xtf_pmpi.Init != NULL;
        if (!found) {
            xtf_mpi_next.Initialized = no_mpi;
            xtf_mpi_next.Finalized = no_mpi;
        }
        atomic_store_explicit(&loaded, found, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
}
