/*
 * Functions known by their address only, and the libraries that contain them.
 *
 * After a library is unloaded, another one may be loaded at the same addresses. So the addresses of an unloaded library
 * are removed from the table, and functions of the new library get new places.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/record/regions/regions.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    FULL = XTF_REGIONS_ADDRESSES / 8 * 7, /* no address is added beyond, so that look-ups stay short */
    SEGMENTS_MAX = 4096,                  /* executable segments of all object files */
    UNLOADED = 1,                         /* replaces the address of a function whose library was unloaded */
};

_Atomic uintptr_t xtf_regions_addresses[XTF_REGIONS_ADDRESSES];
static _Atomic uint32_t n_addresses;

uint32_t xtf_regions_new_address(uintptr_t address)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    uint32_t place = xtf_regions_first_place(address);

    for (;; place = (place + 1) & (XTF_REGIONS_ADDRESSES - 1)) {
        uintptr_t found = atomic_load_explicit(&xtf_regions_addresses[place], memory_order_relaxed);
        if (found == 0) {
            if (atomic_load_explicit(&n_addresses, memory_order_relaxed) >= FULL)
                break;
            if (atomic_compare_exchange_strong(&xtf_regions_addresses[place], &found, address)) {
                atomic_fetch_add_explicit(&n_addresses, 1, memory_order_relaxed);
                return XTF_REGIONS_NAMED + place;
            }
        }
        if (found == address)
            return XTF_REGIONS_NAMED + place;
    }
    if (!atomic_flag_test_and_set(&warned))
        xtf_core_say("process %d calls more than %d instrumented functions: the others are not recorded", (int)getpid(),
                     FULL);
    return XTF_REGIONS_NONE;
}

/* A definition in the scratch memory. */
typedef struct {
    XtfDefineAddress head;
    char path[PATH_MAX];
} Module;
_Static_assert(sizeof(Module) <= XTF_REGIONS_SCRATCH, "a path has room");
_Static_assert(offsetof(Module, path) == sizeof(XtfDefineAddress), "the path is behind the head");

bool xtf_regions_define_address(XtfRing *ring, uint32_t index)
{
    int kept = errno;
    Module *module = xtf_regions_scratch();

    module->head.address =
        atomic_load_explicit(&xtf_regions_addresses[index - XTF_REGIONS_NAMED], memory_order_relaxed);
    module->head.base = xtf_core_find_module(module->head.address, module->path, NULL);
    bool defined = xtf_core_define(ring, XTF_DEFINE_ADDRESS, XTF_WIRE_REGIONS_OWN + index, &module->head,
                                   sizeof module->head + strlen(module->path));
    errno = kept;
    return defined;
}

/* Executable segments of the loaded object files. */
typedef struct {
    unsigned long long unloads; /* number of libraries unloaded since the process began */
    unsigned n;
    bool too_many;
    struct {
        uintptr_t begin, size;
    } ranges[SEGMENTS_MAX];
} Segments;

static int add_segments(struct dl_phdr_info *info, size_t size, void *data)
{
    Segments *segments = data;

    segments->unloads = info->dlpi_subs;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        segments->too_many = segments->n == SEGMENTS_MAX;
        if (segments->too_many)
            return 1;
        segments->ranges[segments->n].begin = info->dlpi_addr + segment->p_vaddr;
        segments->ranges[segments->n++].size = segment->p_memsz;
    }
    return 0;
}

static bool is_loaded(const void *data, uintptr_t address)
{
    const Segments *segments = data;

    for (unsigned i = 0; i < segments->n; i++)
        if (address - segments->ranges[i].begin < segments->ranges[i].size)
            return true;
    return false;
}

static void forget_unloaded(void)
{
    static _Atomic unsigned long long unloads_before;
    int kept = errno;
    /* Not on the stack: the thread may have a small one. */
    Segments *segments = mmap(NULL, sizeof *segments, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (segments == MAP_FAILED) {
        errno = kept;
        return;
    }
    dl_iterate_phdr(add_segments, segments);
    bool unloaded = atomic_exchange(&unloads_before, segments->unloads) != segments->unloads;
    for (size_t i = 0; i < XTF_REGIONS_ADDRESSES && unloaded && !segments->too_many; i++) {
        uintptr_t address = atomic_load_explicit(&xtf_regions_addresses[i], memory_order_relaxed);
        if (address > UNLOADED && !is_loaded(segments, address))
            atomic_compare_exchange_strong(&xtf_regions_addresses[i], &address, UNLOADED);
    }
    if (unloaded && !segments->too_many)
        xtf_core_forget_sites(is_loaded, segments);
    munmap(segments, sizeof *segments);
    errno = kept;
}

EXPORT int dlclose(void *handle);

int dlclose(void *handle)
{
    static int (*_Atomic original)(void *);

    if (!atomic_load_explicit(&original, memory_order_relaxed))
        atomic_store_explicit(&original, (int (*)(void *))dlsym(RTLD_NEXT, "dlclose"), memory_order_relaxed);
    int result = atomic_load_explicit(&original, memory_order_relaxed)(handle);
    if (result == 0 && (atomic_load_explicit(&n_addresses, memory_order_relaxed) > 0 || xtf_core_has_sites()))
        forget_unloaded();
    return result;
}
