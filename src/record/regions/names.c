/* Regions with a name: a hash table of fixed size. One lock suffices, since each place in a program looks up once. */
#include <string.h>
#include <sys/mman.h>

#include "libxtf/base/fnv.h"
#include "src/record/core/spin.h"
#include "src/record/regions/regions.h"

enum { BUCKETS = 1 << 14, ARENA_SIZE = 1 << 16, TEXT_MAX = 4096 };

typedef struct {
    const char *name, *file;
    uint32_t line;
    uint8_t role, paradigm;
    uint32_t next; /* index + 1 of the next region in the bucket */
} Named;

static Named named[XTF_REGIONS_NAMED];
static uint32_t n_named;
static uint32_t buckets[BUCKETS]; /* index + 1; 0: empty */
static char *arena;
static size_t arena_left;
static XtfSpin lock = ATOMIC_FLAG_INIT;

static uint32_t hash_of(const char *name, const char *file)
{
    uint32_t hash = xtf_fnv32(xtf_fnv32(XTF_FNV32, name), file);

    return (hash ^ hash >> 16) % BUCKETS;
}

/* Copies a text, since the program may unload the text's library. The copy is never freed. NULL: no memory. */
static const char *copy_text(const char *text)
{
    size_t length = strnlen(text, TEXT_MAX);

    if (length + 1 > arena_left) {
        void *memory = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        arena = memory;
        arena_left = ARENA_SIZE;
    }
    char *copy = arena;
    memcpy(copy, text, length);
    copy[length] = '\0';
    arena += length + 1;
    arena_left -= length + 1;
    return copy;
}

static bool same_text(const char *kept, const char *text)
{
    return strncmp(kept, text, TEXT_MAX) == 0;
}

static uint32_t add_region(const Named *region, uint32_t *bucket)
{
    Named copy = *region;

    if (n_named == XTF_REGIONS_NAMED || !(copy.name = copy_text(region->name)) ||
        !(copy.file = copy_text(region->file)))
        return XTF_REGIONS_NONE;
    copy.next = *bucket;
    named[n_named] = copy;
    *bucket = ++n_named;
    return n_named - 1;
}

uint32_t xtf_regions_named(const char *name, const char *file, uint32_t line, unsigned role, unsigned paradigm)
{
    Named region = {.name = name, .file = file, .line = line, .role = role, .paradigm = paradigm};
    uint32_t *bucket = &buckets[hash_of(name, file)], index = XTF_REGIONS_NONE;

    xtf_spin_lock(&lock);
    for (uint32_t i = *bucket; i > 0 && index == XTF_REGIONS_NONE; i = named[i - 1].next)
        if (same_text(named[i - 1].name, name) && same_text(named[i - 1].file, file))
            index = i - 1;
    if (index == XTF_REGIONS_NONE)
        index = add_region(&region, bucket);
    xtf_spin_unlock(&lock);
    return index;
}

/* Defines a named region. Needs no lock: the thread has the index from xtf_regions_named() and so sees its writes. */
bool xtf_regions_define_named(XtfRing *ring, uint32_t index)
{
    const Named *region = &named[index];
    size_t name_size = strlen(region->name), file_size = strlen(region->file);
    XtfDefineRegion head = {.line = region->line,
                            .role = region->role,
                            .paradigm = region->paradigm,
                            .name_size = name_size,
                            .file_size = file_size};
    uint8_t *data = xtf_regions_scratch();
    _Static_assert(sizeof head + 2 * TEXT_MAX <= XTF_REGIONS_SCRATCH, "the texts have room");

    memcpy(data, &head, sizeof head);
    memcpy(data + sizeof head, region->name, name_size);
    memcpy(data + sizeof head + name_size, region->file, file_size);
    return xtf_core_define(ring, XTF_DEFINE_REGION, XTF_WIRE_REGIONS_OWN + index, data,
                           sizeof head + name_size + file_size);
}
