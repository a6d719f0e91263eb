#include "src/record/mpi/valid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/record/mpi/pmpi.h"

enum {
    BUCKETS = 256, /* a power of two */
    CACHE = 4,     /* handles that a thread remembers; a power of two */
};

typedef struct {
    uint64_t *handles;
    size_t n, room;
} Bucket;

typedef struct {
    uint64_t handle;
    uint32_t generation;
} Cached;

static Bucket buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* What threads remember holds while no handle is removed. From 1; 0: a cache that was never used. */
static _Atomic uint32_t removals = 1;
static __thread Cached cache[CACHE] __attribute__((tls_model("initial-exec")));

static uint64_t hash(uint64_t handle)
{
    return handle * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

/* The place of a handle in its bucket, with the lock; n: it is not there. */
static size_t find(const Bucket *bucket, uint64_t handle)
{
    size_t at = 0;

    while (at < bucket->n && bucket->handles[at] != handle)
        at++;
    return at;
}

static bool has_room(Bucket *bucket)
{
    if (bucket->n < bucket->room)
        return true;
    size_t room = bucket->room ? 2 * bucket->room : 4;
    uint64_t *handles = realloc(bucket->handles, room * sizeof *handles);
    if (!handles)
        return false;
    bucket->handles = handles;
    bucket->room = room;
    return true;
}

void xtf_mpi_valid_add(uint64_t handle)
{
    Bucket *bucket = &buckets[hash(handle)];

    pthread_mutex_lock(&lock);
    if (find(bucket, handle) == bucket->n && has_room(bucket))
        bucket->handles[bucket->n++] = handle;
    pthread_mutex_unlock(&lock);
}

void xtf_mpi_valid_remove(uint64_t handle)
{
    Bucket *bucket = &buckets[hash(handle)];

    pthread_mutex_lock(&lock);
    size_t at = find(bucket, handle);
    if (at < bucket->n) {
        bucket->handles[at] = bucket->handles[--bucket->n];
        atomic_fetch_add_explicit(&removals, 1, memory_order_acq_rel);
    }
    pthread_mutex_unlock(&lock);
}

bool xtf_mpi_valid_has(uint64_t handle)
{
    uint32_t generation = atomic_load_explicit(&removals, memory_order_acquire);
    Cached *cached = &cache[hash(handle) % CACHE];

    if (__builtin_expect(cached->handle == handle && cached->generation == generation, 1))
        return true;
    Bucket *bucket = &buckets[hash(handle)];
    pthread_mutex_lock(&lock);
    bool has = find(bucket, handle) < bucket->n;
    pthread_mutex_unlock(&lock);
    if (has)
        *cached = (Cached){handle, generation};
    return has;
}

#ifdef OMPI_MAJOR_VERSION

/* Their numbers in Fortran come before those of other types. */
enum { PREDEFINED = 128 };

void xtf_mpi_valid_begin(void)
{
    for (int i = 0; i < PREDEFINED && xtf_pmpi.Type_f2c; i++) {
        MPI_Datatype type = xtf_pmpi.Type_f2c(i);
        if (type && type != MPI_DATATYPE_NULL)
            xtf_mpi_valid_add((uint64_t)(uintptr_t)type);
    }
}

#else

/* Some are MPI_DATATYPE_NULL where the compilers have no such type: of that nothing is asked either. */
static const MPI_Datatype predefined[] = {
    MPI_CHAR,
    MPI_SIGNED_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_BYTE,
    MPI_WCHAR,
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT,
    MPI_UNSIGNED,
    MPI_LONG,
    MPI_UNSIGNED_LONG,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_LONG_DOUBLE,
    MPI_LONG_LONG_INT,
    MPI_UNSIGNED_LONG_LONG,
    MPI_PACKED,
    MPI_FLOAT_INT,
    MPI_DOUBLE_INT,
    MPI_LONG_INT,
    MPI_SHORT_INT,
    MPI_2INT,
    MPI_LONG_DOUBLE_INT,
    MPI_COMPLEX,
    MPI_DOUBLE_COMPLEX,
    MPI_LOGICAL,
    MPI_REAL,
    MPI_DOUBLE_PRECISION,
    MPI_INTEGER,
    MPI_2INTEGER,
    MPI_2REAL,
    MPI_2DOUBLE_PRECISION,
    MPI_CHARACTER,
    MPI_REAL4,
    MPI_REAL8,
    MPI_REAL16,
    MPI_COMPLEX8,
    MPI_COMPLEX16,
    MPI_COMPLEX32,
    MPI_INTEGER1,
    MPI_INTEGER2,
    MPI_INTEGER4,
    MPI_INTEGER8,
    MPI_INTEGER16,
    MPI_INT8_T,
    MPI_INT16_T,
    MPI_INT32_T,
    MPI_INT64_T,
    MPI_UINT8_T,
    MPI_UINT16_T,
    MPI_UINT32_T,
    MPI_UINT64_T,
    MPI_C_BOOL,
    MPI_C_FLOAT_COMPLEX,
    MPI_C_DOUBLE_COMPLEX,
    MPI_C_LONG_DOUBLE_COMPLEX,
    MPI_AINT,
    MPI_OFFSET,
    MPI_COUNT,
    MPI_CXX_BOOL,
    MPI_CXX_FLOAT_COMPLEX,
    MPI_CXX_DOUBLE_COMPLEX,
    MPI_CXX_LONG_DOUBLE_COMPLEX,
};

void xtf_mpi_valid_begin(void)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        xtf_mpi_valid_add((uint64_t)(uintptr_t)predefined[i]);
}

#endif
