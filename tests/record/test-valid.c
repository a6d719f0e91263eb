/*
 * The table of valid handles, against an array that says of each handle whether it is in there.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/record/mpi/valid.h"
#include "tests/rounds.h"

enum { HANDLES = 20000 }; /* more than the lines have room for */

/* As one MPI makes them: addresses. */
static uint64_t handle_at(uint32_t i)
{
    return UINT64_C(0x7f32a4000010) + 352 * (uint64_t)i;
}

/* As the other one does: a kind, and numbers from 0. */
static uint64_t handle_of_number(uint32_t i)
{
    return UINT64_C(0x8c000000) + i;
}

static void compare(uint64_t (*handle)(uint32_t i))
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
            xtf_mpi_valid_remove(handle(i));
        n += (unsigned)adds - expected[i];
        expected[i] = adds;
        i = (uint32_t)random() % HANDLES;
        cr_assert_eq(xtf_mpi_valid_has(handle(i)), expected[i], "handle %u of %u in round %u", i, n, round);
    }
    for (uint32_t i = 0; i < HANDLES; i++) {
        cr_assert_eq(xtf_mpi_valid_has(handle(i)), expected[i]);
        xtf_mpi_valid_remove(handle(i));
        cr_assert_not(xtf_mpi_valid_has(handle(i)), "a handle that was added twice is gone at once");
    }
}

Test(valid, addresses)
{
    compare(handle_at);
}

Test(valid, numbers)
{
    compare(handle_of_number);
}

Test(valid, null_is_none)
{
    xtf_mpi_valid_add(0);
    cr_assert_not(xtf_mpi_valid_has(0));
    xtf_mpi_valid_remove(0);
}

static _Atomic bool stop;

static void *look(void *handle)
{
    uintptr_t missed = 0;

    while (!stop)
        missed += !xtf_mpi_valid_has((uint64_t)(uintptr_t)handle);
    return (void *)missed;
}

Test(valid, what_stays_is_always_there)
{
    pthread_t readers[2];
    void *missed;

    for (uint32_t i = 0; i < HANDLES; i++)
        xtf_mpi_valid_add(handle_at(i));
    for (int i = 0; i < 2; i++) /* the first one is in a line, the last one is not, as likely as not */
        pthread_create(&readers[i], NULL, look, (void *)(uintptr_t)handle_at(i * (HANDLES - 1)));
    for (uint32_t i = 1; i + 1 < HANDLES; i++) {
        xtf_mpi_valid_remove(handle_at(i));
        xtf_mpi_valid_add(handle_at(i - 1 + (i == 1)));
    }
    stop = true;
    for (int i = 0; i < 2; i++) {
        pthread_join(readers[i], &missed);
        cr_assert_null(missed);
    }
}
