/*
 * Tests the table of valid handles against an array of flags.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "src/record/mpi/library/valid.h"
#include "tests/rounds.h"

enum { HANDLES = 20000 }; /* more than fit into the lines of the table */

/* Returns a handle as one MPI makes them: an address. */
static uint64_t handle_at(uint32_t i)
{
    return UINT64_C(0x7f32a4000010) + 352 * (uint64_t)i;
}

/* Returns a handle as another MPI makes them: a kind, and a number from 0. */
static uint64_t handle_of_number(uint32_t i)
{
    return UINT64_C(0x8c000000) + i;
}

static void compare_with_array(uint64_t (*handle)(uint32_t i))
{
    static bool expected[HANDLES];
    uint32_t n = 0;

    srandom(5);
    for (uint32_t i = 0; i < HANDLES; i++)
        expected[i] = false;
    for (unsigned round = 0; round < TEST_ROUNDS(4 * HANDLES); round++) {
        uint32_t i = (uint32_t)random() % HANDLES;
        bool adds = random() % 8 < (round < TEST_ROUNDS(2 * HANDLES) ? 7 : 1);
        if (adds)
            xtf_mpi_valid_add(handle(i));
        else
            cr_assert_eq(xtf_mpi_valid_remove(handle(i)), expected[i]);
        n += (unsigned)adds - expected[i];
        expected[i] = adds;
        i = (uint32_t)random() % HANDLES;
        cr_assert_eq(xtf_mpi_valid_has(handle(i)), expected[i], "handle %u of %u in round %u", i, n, round);
    }
    for (uint32_t i = 0; i < HANDLES; i++) {
        cr_assert_eq(xtf_mpi_valid_has(handle(i)), expected[i]);
        xtf_mpi_valid_remove(handle(i));
        cr_assert_not(xtf_mpi_valid_has(handle(i)), "a handle that was added twice is removed at once");
    }
}

Test(valid, addresses)
{
    compare_with_array(handle_at);
}

Test(valid, numbers)
{
    compare_with_array(handle_of_number);
}

Test(valid, null_is_none)
{
    xtf_mpi_valid_add(0);
    cr_assert_not(xtf_mpi_valid_has(0));
    cr_assert_not(xtf_mpi_valid_remove(0));
}

enum { READERS = 3, LOOKS_MIN = 1000 };

static _Atomic bool stop;

typedef struct {
    uint64_t handle;
    _Atomic uint64_t looks;
    uint64_t missed;
} Reader;

static void *look_up(void *data)
{
    Reader *reader = data;

    for (; !stop; reader->looks++)
        reader->missed += !xtf_mpi_valid_has(reader->handle);
    return NULL;
}

static void await_looks(const Reader *readers)
{
    for (int i = 0; i < READERS; i++)
        for (uint64_t seen = readers[i].looks; readers[i].looks < seen + LOOKS_MIN;)
            sched_yield();
}

Test(valid, kept_handles_are_always_found)
{
    /* The first handle is in its line. The last ones are outside of lines, as these were full before. */
    static Reader readers[READERS] = {{.handle = 0}};
    pthread_t threads[READERS];

    for (uint32_t i = 0; i < HANDLES; i++)
        xtf_mpi_valid_add(handle_at(i));
    for (uint32_t i = 0; i < READERS; i++) {
        readers[i].handle = handle_at(i == 0 ? 0 : HANDLES - i);
        pthread_create(&threads[i], NULL, look_up, &readers[i]);
    }
    await_looks(readers);
    for (uint32_t i = 1; i + READERS < HANDLES; i++) {
        xtf_mpi_valid_remove(handle_at(i));
        xtf_mpi_valid_add(handle_at(i - 1 + (i == 1)));
    }
    await_looks(readers);
    stop = true;
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(readers[i].missed, 0);
    }
}
