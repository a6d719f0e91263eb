#include "src/record/mpi/windows/files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/base/fnv.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/valid.h"
#include "src/record/mpi/messages/messages.h"

enum { PATH_MOST = 4096 };

/* Values as in OTF2. */
enum { READ_ONLY, WRITE_ONLY, READ_WRITE };
enum { CREATE = 1, EXCLUSIVE = 8, NO_SEEK = 1 << 9, UNIQUE = 1 << 10 };
enum { APPEND = 2, DELETE_ON_CLOSE = 1 << 8 };
enum { NON_BLOCKING = 1, IS_COLLECTIVE = 2 };

/* Open file. */
typedef struct Opened {
    struct Opened *next;
    MPI_File file;
    uint32_t handle, comm;
    uint64_t split; /* operation that a ..._begin has started; 0: none */
} Opened;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Opened *open_files;
static _Atomic uint64_t operations;

/* Finds the link to a file in the list. The caller holds the lock. */
static Opened **find_link(MPI_File file)
{
    Opened **at = &open_files;

    while (*at && (*at)->file != file)
        at = &(*at)->next;
    return at;
}

/* Returns the id of a file. Stores that of its communicator in *comm. */
static uint32_t find_handle(MPI_File file, uint32_t *comm)
{
    pthread_mutex_lock(&lock);
    const Opened *opened = *find_link(file);
    uint32_t handle = opened ? opened->handle : XTF_WIRE_NONE;
    *comm = opened ? opened->comm : XTF_WIRE_NONE;
    pthread_mutex_unlock(&lock);
    return handle;
}

static uint32_t handle_of(MPI_File file)
{
    uint32_t comm;

    return find_handle(file, &comm);
}

static void add_file(MPI_File file, uint32_t handle, uint32_t comm)
{
    Opened *opened = calloc(1, sizeof *opened);

    if (!opened)
        return;
    pthread_mutex_lock(&lock);
    *opened = (Opened){open_files, file, handle, comm, 0};
    open_files = opened;
    pthread_mutex_unlock(&lock);
}

/* ---- Files by their names, which are the same in all processes. */

/* Makes an absolute path, without a prefix that names a file system, such as "ufs:". */
static void full_name(const char *name, char path[PATH_MOST])
{
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    size_t n = 0;

    if (colon && colon - name > 1 && (!slash || colon < slash))
        name = colon + 1;
    if (name[0] != '/' && getcwd(path, PATH_MOST / 2)) {
        n = strlen(path);
        path[n++] = '/';
        while (name[0] == '.' && name[1] == '/')
            name += 2;
    }
    snprintf(path + n, PATH_MOST - n, "%s", name);
}

static uint32_t define_file(XtfRing *ring, const char *name)
{
    char data[sizeof(XtfDefineFile) + PATH_MOST], *path = data + sizeof(XtfDefineFile);
    uint32_t hash;

    full_name(name, path);
    hash = xtf_fnv32(XTF_FNV32, path);
    hash -= hash == XTF_WIRE_NONE;
    const XtfDefineFile file = {(uint32_t)strlen(path)};
    memcpy(data, &file, sizeof file);
    if (ring)
        xtf_core_define(ring, XTF_DEFINE_FILE, hash, data, sizeof file + file.name_size);
    return hash;
}

/* ---- Opening and closing. */

static void record_open(XtfRing *ring, uint64_t time, uint32_t handle, int mode)
{
    uint32_t access = mode & MPI_MODE_RDWR ? READ_WRITE : mode & MPI_MODE_WRONLY ? WRITE_ONLY : READ_ONLY;
    uint32_t creation = (mode & MPI_MODE_CREATE ? CREATE : 0) | (mode & MPI_MODE_EXCL ? EXCLUSIVE : 0) |
                        (mode & MPI_MODE_SEQUENTIAL ? NO_SEEK : 0) | (mode & MPI_MODE_UNIQUE_OPEN ? UNIQUE : 0);
    uint32_t status = (mode & MPI_MODE_APPEND ? APPEND : 0) | (mode & MPI_MODE_DELETE_ON_CLOSE ? DELETE_ON_CLOSE : 0);

    xtf_core_record(ring, time, XTF_WIRE_IO_CREATE_HANDLE, 0, handle, xtf_core_pair(access, creation), status);
}

void xtf_mpi_file_opened(XtfRing *ring, uint64_t *left, int result, MPI_Comm comm, const char *name, int mode,
                         MPI_File file)
{
    XtfRing *any = xtf_mpi_ring(ring);
    uint32_t handle;

    if (result != MPI_SUCCESS || !xtf_mpi_agreeing)
        return;
    handle = xtf_mpi_comm_agree(comm);
    *left = xtf_core_now();
    if (handle == XTF_WIRE_NONE)
        return;
    const XtfDefineHandle definition = {define_file(any, name), xtf_mpi_comm_id(comm), 0};
    add_file(file, handle, definition.comm);
    if (any)
        xtf_core_define(any, XTF_DEFINE_HANDLE, handle, &definition, sizeof definition);
    if (ring)
        record_open(ring, *left, handle, mode);
}

uint32_t xtf_mpi_file_closing(XtfRing *ring, uint64_t entered, MPI_File file)
{
    uint32_t comm, handle = find_handle(file, &comm);

    xtf_mpi_awaits_members(ring, entered, comm);
    return handle;
}

/* Removes the file by its handle, since MPI_File_close has reset the MPI_File. */
void xtf_mpi_file_closed(XtfRing *ring, uint64_t left, int result, uint32_t handle)
{
    Opened *closed = NULL;

    if (result != MPI_SUCCESS || handle == XTF_WIRE_NONE)
        return;
    pthread_mutex_lock(&lock);
    for (Opened **at = &open_files; *at && !closed; at = &(*at)->next) {
        if ((*at)->handle != handle)
            continue;
        closed = *at;
        *at = closed->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    free(closed);
    if (ring)
        xtf_core_record(ring, left, XTF_WIRE_IO_DESTROY_HANDLE, 0, handle);
}

void xtf_mpi_file_deleted(XtfRing *ring, uint64_t left, int result, const char *name)
{
    if (result == MPI_SUCCESS)
        xtf_core_record(ring, left, XTF_WIRE_IO_DELETE_FILE, 0, define_file(ring, name), 0);
}

void xtf_mpi_file_sought(XtfRing *ring, uint64_t left, int result, MPI_File file, bool shared, long long offset,
                         int whence)
{
    uint32_t handle = result == MPI_SUCCESS ? handle_of(file) : XTF_WIRE_NONE;
    uint32_t from = whence == MPI_SEEK_CUR ? 1 : whence == MPI_SEEK_END ? 2 : 0;
    MPI_Offset position = 0, at = 0;

    if (handle == XTF_WIRE_NONE)
        return;
    /* Offsets count etypes of the view, records count bytes. Other processes may have moved the shared pointer
     * since. */
    if (whence == MPI_SEEK_SET)
        position = offset;
    else if (shared || XTF_PMPI(File_get_position)(file, &position) != MPI_SUCCESS)
        position = -1;
    if (position < 0 || XTF_PMPI(File_get_byte_offset)(file, position, &at) != MPI_SUCCESS)
        at = -1;
    xtf_core_record(ring, left, XTF_WIRE_IO_SEEK, from, handle, (uint64_t)offset, (uint64_t)at, 0);
}

/* ---- Reading and writing. */

static void record_begin(XtfRing *ring, XtfMpiOperation *operation)
{
    operation->is_due = false;
    xtf_core_record(ring, operation->entered, XTF_WIRE_IO_BEGIN, operation->mode, operation->handle, operation->flags,
                    xtf_mpi_bytes(operation->count, operation->type), operation->matching);
}

XtfMpiOperation xtf_mpi_file_begin(XtfRing *ring, uint64_t entered, MPI_File file, XtfMpiFileMode mode, unsigned flags,
                                   long long count, MPI_Datatype type)
{
    uint64_t wire = (flags & XTF_MPI_NONBLOCKING || flags & XTF_MPI_BEGIN ? NON_BLOCKING : 0) |
                    (flags & XTF_MPI_COLLECTIVE || flags & XTF_MPI_ORDERED ? IS_COLLECTIVE : 0);
    uint32_t comm;
    XtfMpiOperation operation = {.handle = find_handle(file, &comm),
                                 .is_due = true,
                                 .mode = mode,
                                 .entered = entered,
                                 .flags = wire,
                                 .count = count,
                                 .type = type};

    if (operation.handle == XTF_WIRE_NONE)
        return operation;
    if (wire & IS_COLLECTIVE && !(wire & NON_BLOCKING))
        xtf_mpi_awaits_members(ring, entered, comm);
    operation.matching = atomic_fetch_add_explicit(&operations, 1, memory_order_relaxed) + 1;
    if (count <= 0 || type == MPI_DATATYPE_NULL || xtf_mpi_valid_has(XTF_MPI_HANDLE(type)))
        record_begin(ring, &operation);
    return operation;
}

/* Records the beginning if it is due and the call succeeded. Returns false if nothing is recorded of the operation. */
static bool has_begun(XtfRing *ring, int result, XtfMpiOperation *operation)
{
    if (operation->handle == XTF_WIRE_NONE)
        return false;
    if (operation->is_due && result == MPI_SUCCESS)
        record_begin(ring, operation);
    return !operation->is_due;
}

void xtf_mpi_file_end(XtfRing *ring, uint64_t left, int result, XtfMpiOperation operation, const MPI_Status *status)
{
    if (ring && has_begun(ring, result, &operation))
        xtf_core_record(ring, left, XTF_WIRE_IO_COMPLETE, 0, operation.handle, operation.matching,
                        result == MPI_SUCCESS && status ? xtf_mpi_received(status) : 0);
}

static void request_done(void *ring, uint64_t time, const XtfMpiRequest *request, const void *status)
{
    const XtfMpiOperation operation = {.handle = request->comm, .matching = request->bytes};

    xtf_mpi_file_end(ring, time, status ? MPI_SUCCESS : MPI_ERR_IO, operation, status);
}

void xtf_mpi_file_issued(XtfRing *ring, uint64_t left, int result, XtfMpiOperation operation, MPI_File file,
                         const MPI_Request *request)
{
    if (!has_begun(ring, result, &operation))
        return;
    if (result != MPI_SUCCESS) {
        xtf_mpi_file_end(ring, left, result, operation, NULL);
        return;
    }
    xtf_core_record(ring, left, XTF_WIRE_IO_ISSUED, 0, operation.handle, operation.matching);
    if (request) {
        const XtfMpiRequest entry = {.handle = XTF_MPI_HANDLE(*request),
                                     .id = xtf_mpi_requests_ids(1),
                                     .kind = XTF_MPI_REQUEST_OTHER,
                                     .comm = operation.handle,
                                     .bytes = operation.matching,
                                     .done = request_done};
        xtf_mpi_requests_add(&entry);
        return;
    }
    pthread_mutex_lock(&lock);
    Opened *opened = *find_link(file);
    if (opened)
        opened->split = operation.matching;
    pthread_mutex_unlock(&lock);
}

void xtf_mpi_file_split_end(XtfRing *ring, uint64_t left, int result, MPI_File file, const MPI_Status *status)
{
    XtfMpiOperation operation = {.handle = XTF_WIRE_NONE};

    pthread_mutex_lock(&lock);
    Opened *opened = *find_link(file);
    if (opened && opened->split) {
        operation = (XtfMpiOperation){.handle = opened->handle, .matching = opened->split};
        opened->split = 0;
    }
    pthread_mutex_unlock(&lock);
    xtf_mpi_file_end(ring, left, result, operation, status);
}
