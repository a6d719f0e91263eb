#include "src/record/mpi/library/pmpi.h"

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
/* MPI library, if the program opened it in a private scope; NULL: its names are global. */
static void *library;

/* Finds the next definition of a function after this library, in the order in which the program loaded its
 * libraries. */
static void *find_function(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);

    return found || !library ? found : dlsym(library, symbol);
}

/* Finds a variable. A program that names the variable may have its own copy, which takes precedence over all
 * libraries. */
static __attribute__((unused)) void *find_variable(const char *symbol)
{
    void *found = dlsym(RTLD_DEFAULT, symbol);

    return found || !library ? found : dlsym(library, symbol);
}

/* Names of the loaded objects, each with its terminating 0. */
typedef struct {
    char *texts;
    size_t size, room;
} Names;

/* Adds the name of a loaded object, for dl_iterate_phdr(). The caller holds a lock of the dynamic linker, so the
 * function neither opens nor allocates anything. */
static int add_object_name(struct dl_phdr_info *info, size_t size, void *user)
{
    Names *all = user;
    size_t length = strlen(info->dlpi_name) + 1;

    if (all->size + length <= all->room)
        memcpy(all->texts + all->size, info->dlpi_name, length);
    all->size += length;
    return 0;
}

static Names loaded_names(void)
{
    Names found = {0};

    dl_iterate_phdr(add_object_name, &found);
    /* Other threads may load more objects meanwhile. */
    while (found.size > found.room) {
        size_t room = 2 * found.size;
        char *texts = realloc(found.texts, room);
        if (!texts) {
            free(found.texts);
            return (Names){0};
        }
        found = (Names){texts, 0, room};
        dl_iterate_phdr(add_object_name, &found);
    }
    return found;
}

void *xtf_pmpi_open_library_of(const char *symbol)
{
    Names found = loaded_names();
    void *library_of = NULL;

    for (size_t at = 0; at < found.size && !library_of; at += strlen(found.texts + at) + 1) {
        void *handle = found.texts[at] ? dlopen(found.texts + at, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (handle && dlsym(handle, symbol))
            library_of = handle;
        else if (handle)
            dlclose(handle);
    }
    free(found.texts);
    return library_of;
}

/* Answers MPI_Initialized and MPI_Finalized without an MPI library: programs call them to find out whether MPI is used.
 */
static int no_mpi(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static void abort_missing_function(void)
{
    xtf_core_say("a function of MPI was called that the program's MPI library does not have");
    abort();
}

static void look_up_functions(void)
{
    const char *stack = xtf_core_option("STACK");
    void *next[N_FUNCTIONS], *own[N_FUNCTIONS];
    char symbol[64] = "PMPI_";

    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        strncpy(symbol + 5, names[i], sizeof symbol - 6);
        own[i] = find_function(symbol);
        next[i] = stack && strcmp(stack, "1") == 0 ? find_function(symbol + 1) : own[i];
        if (!next[i])
            next[i] = own[i] ? own[i] : (void *)abort_missing_function;
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
        /* The handle is never closed, since the recorder calls the library. */
        library = dlsym(RTLD_NEXT, "PMPI_Init") ? NULL : xtf_pmpi_open_library_of("PMPI_Init");
        look_up_functions();
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
