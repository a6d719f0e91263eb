#include "src/record/mpi/comms/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "libxtf/base/fnv.h"
#include "src/record/core/core.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

enum {
    SPAWNED_BITS = 19,    /* bits of an id below the number of the spawned world */
    WORLDS_MAX = 0xffe,   /* greatest number of a spawned world: each communicator's id differs from XTF_WIRE_NONE */
    HASHED_WORLDS = 2048, /* first world number that a hash gives */
};
#define SPAWNED      UINT32_C(0x80000000)
#define HASHED_BASES (1u << 20)

XtfMpiWorld xtf_mpi_world;
MPI_Group xtf_mpi_world_group;
bool xtf_mpi_agreeing, xtf_mpi_met_others;

/* Content of the file `worlds`. */
typedef struct {
    uint32_t next_number, next_base;
} Worlds;

/* Opens the file in the folder that all nodes see, which exists only if a job needs it, else in the folder of the
 * parts. */
int xtf_mpi_job_open(const char *name, int flags)
{
    const char *gather = xtf_core_option("GATHER"), *folder = xtf_core_option("FOLDER");
    int fd = gather ? xtf_job_open_in(gather, name, flags) : -1;

    return fd < 0 && folder ? xtf_job_open_in(folder, name, flags) : fd;
}

void xtf_mpi_job_mark(const char *name)
{
    int fd = xtf_mpi_job_open(name, O_RDWR | O_CREAT);

    if (fd >= 0)
        close(fd);
}

bool xtf_mpi_job_is_marked(const char *name)
{
    int fd = xtf_mpi_job_open(name, O_RDONLY);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void xtf_mpi_world_announce(uint32_t size)
{
    const Worlds worlds = {1, size};
    int fd = xtf_mpi_job_open(XTF_JOB_WORLDS, O_RDWR | O_CREAT);

    if (fd < 0)
        return;
    if (xtf_core_pwrite(fd, &worlds, sizeof worlds, 0) != sizeof worlds && ftruncate(fd, 0) != 0)
        xtf_core_say("the file `worlds` cannot be written");
    close(fd);
}

/* Sets number and base from a hash of the host's name and the process id. */
static void hash_place(XtfMpiWorld *world)
{
    char name[300];
    uint32_t hash;

    if (gethostname(name, 256) != 0)
        name[0] = '\0';
    name[255] = '\0';
    snprintf(name + strlen(name), 32, ":%ld", (long)getpid());
    hash = xtf_fnv32(XTF_FNV32, name);
    hash ^= hash >> 15;
    world->number = HASHED_WORLDS + hash % (WORLDS_MAX - HASHED_WORLDS);
    world->base = world->number * HASHED_BASES;
}

void xtf_mpi_world_take(XtfMpiWorld *world)
{
    Worlds worlds;
    int fd = xtf_mpi_job_open(XTF_JOB_WORLDS, O_RDWR);
    bool has_place = false;

    if (fd >= 0 && flock(fd, LOCK_EX) == 0 && pread(fd, &worlds, sizeof worlds, 0) == sizeof worlds &&
        worlds.next_number > 0 && worlds.next_number < HASHED_WORLDS) {
        const Worlds next = {worlds.next_number + 1, worlds.next_base + world->size};
        has_place = xtf_core_pwrite(fd, &next, sizeof next, 0) == sizeof next;
        world->number = worlds.next_number;
        world->base = worlds.next_base;
    }
    if (fd >= 0)
        close(fd);
    if (!has_place)
        hash_place(world);
}

uint32_t xtf_mpi_world_make_id(const XtfMpiWorld *world, uint64_t n)
{
    uint64_t id = n * world->size + world->rank;

    if (world->number == 0)
        return id < SPAWNED - XTF_MPI_FIRST_ID ? XTF_MPI_FIRST_ID + (uint32_t)id : XTF_WIRE_NONE;
    if (world->number > WORLDS_MAX || id >= 1u << SPAWNED_BITS)
        return XTF_WIRE_NONE;
    return SPAWNED | world->number << SPAWNED_BITS | (uint32_t)id;
}
