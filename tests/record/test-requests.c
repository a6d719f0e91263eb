/*
 * Tests the table of requests against a list that is searched linearly, and each of its rules.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/record/mpi/messages/requests.h"

static void add_send(uint64_t handle, uint64_t id)
{
    cr_assert(xtf_mpi_requests_add(&(XtfMpiRequest){.handle = handle, .id = id, .kind = XTF_MPI_REQUEST_SEND}));
}

static uint64_t complete_send(uint64_t handle)
{
    XtfMpiRequest request;

    return xtf_mpi_requests_complete(xtf_mpi_requests_hold(handle, false), &request) ? request.id : 0;
}

Test(requests, one_handle_means_its_oldest_request)
{
    add_send(7, 1);
    add_send(8, 2);
    add_send(7, 3);
    add_send(7, 4);
    cr_assert_eq(complete_send(7), 1);
    add_send(7, 5);
    cr_assert_eq(complete_send(7), 3);
    cr_assert_eq(complete_send(8), 2);
    cr_assert_eq(complete_send(8), 0);
    cr_assert_eq(complete_send(7), 4);
    cr_assert_eq(complete_send(7), 5);
    cr_assert_eq(complete_send(7), 0);
}

Test(requests, a_persistent_request_stays_in_the_table)
{
    XtfMpiRequest request;

    xtf_mpi_requests_add(
        &(XtfMpiRequest){.handle = 7, .kind = XTF_MPI_REQUEST_SEND, .flags = XTF_MPI_REQUEST_PERSISTENT, .peer = 3});
    cr_assert_eq(complete_send(7), 0, "it is not active");
    for (uint64_t id = 10; id < 13; id++) {
        cr_assert(xtf_mpi_requests_start(7, 7, id, &request));
        cr_assert_eq(request.peer, 3);
        cr_assert(xtf_mpi_requests_test(xtf_mpi_requests_hold(7, false), &request));
        cr_assert_eq(request.tests, 1, "the tests of the start before do not count");
        xtf_mpi_requests_cancel(7);
        cr_assert(xtf_mpi_requests_complete(xtf_mpi_requests_hold(7, false), &request));
        cr_assert_eq(request.id, id);
        cr_assert_eq(request.flags, XTF_MPI_REQUEST_PERSISTENT | XTF_MPI_REQUEST_CANCEL);
        cr_assert_eq(complete_send(7), 0, "it is inactive");
    }
    cr_assert(xtf_mpi_requests_start(7, 9, 20, &request), "the library gives another handle");
    cr_assert_eq(request.flags, XTF_MPI_REQUEST_PERSISTENT, "the new start is not cancelled");
    cr_assert_eq(complete_send(7), 0);
    cr_assert_eq(complete_send(9), 20);
    cr_assert(xtf_mpi_requests_free(xtf_mpi_requests_hold(9, false), &request));
    cr_assert_not(xtf_mpi_requests_start(9, 9, 21, &request));
    cr_assert_not(xtf_mpi_requests_free(xtf_mpi_requests_hold(9, false), &request));
}

Test(requests, messages_have_separate_handles)
{
    XtfMpiRequest message;

    add_send(7, 1);
    xtf_mpi_requests_add(&(XtfMpiRequest){.handle = 7, .id = 2, .kind = XTF_MPI_REQUEST_MESSAGE, .comm = 5});
    cr_assert_eq(complete_send(7), 1);
    cr_assert_eq(complete_send(7), 0);
    cr_assert(xtf_mpi_requests_complete(xtf_mpi_requests_hold(7, true), &message));
    cr_assert_eq(message.comm, 5);
    cr_assert_not(xtf_mpi_requests_complete(xtf_mpi_requests_hold(7, true), &message));
}

Test(requests, a_held_request_keeps_its_handle_from_a_quicker_thread)
{
    XtfMpiRequest request;

    add_send(7, 1);
    uint64_t first = xtf_mpi_requests_hold(7, false); /* MPI completes the request, and reuses its handle */
    add_send(7, 2);
    uint64_t second = xtf_mpi_requests_hold(7, false);
    cr_assert_eq(xtf_mpi_requests_handle(second), 7);
    cr_assert(xtf_mpi_requests_complete(second, &request));
    cr_assert_eq(request.id, 2);
    cr_assert_eq(complete_send(7), 0, "it is held");
    xtf_mpi_requests_release(first);
    first = xtf_mpi_requests_hold(7, false);
    cr_assert(xtf_mpi_requests_test(first, &request));
    cr_assert_eq(request.tests, 1);
    cr_assert_eq(complete_send(7), 1);
}

Test(requests, presence_is_known_for_one_thread)
{
    XtfMpiRequest request;

    cr_assert(xtf_mpi_requests_may_exist(), "unknown with several threads");
    xtf_mpi_requests_share(false);
    cr_assert(!xtf_mpi_requests_may_exist());
    add_send(7, 1);
    cr_assert(xtf_mpi_requests_may_exist());
    cr_assert(xtf_mpi_requests_complete(xtf_mpi_requests_hold(7, false), &request));
    cr_assert(!xtf_mpi_requests_may_exist());
}

/* An entry of the list with which the table is compared. */
typedef struct {
    uint64_t handle, id;
} Known;

static uint64_t known_complete(Known *known, size_t *n, uint64_t handle)
{
    for (size_t i = 0; i < *n; i++)
        if (known[i].handle == handle) {
            uint64_t id = known[i].id;
            for (size_t j = i + 1; j < *n; j++)
                known[j - 1] = known[j];
            --*n;
            return id;
        }
    return 0;
}

static void count_request(const XtfMpiRequest *request, void *n)
{
    ++*(size_t *)n;
}

Test(requests, many_requests_agree_with_a_list)
{
    enum { MOST = 3000, STEPS = 60000 };
    Known *known = malloc(MOST * sizeof *known);
    size_t n = 0, n_listed = 0, most = 0;
    uint64_t state = 1;

    xtf_mpi_requests_share(false);
    for (unsigned i = 0; i < STEPS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t random = state >> 33;
        uint64_t handle = random % 16 == 0 ? 0x2c000000 + random % 3 : UINT64_C(0x7f0000001000) + random % 4096 * 64;
        /* The list fills and empties in turn. */
        if (n < MOST && random / 16 % 8 < (i / (STEPS / 4) % 2 ? 3 : 6)) {
            uint64_t id = xtf_mpi_requests_ids(1);
            add_send(handle, id);
            known[n++] = (Known){handle, id};
            most = n > most ? n : most;
        } else {
            cr_assert_eq(complete_send(handle), known_complete(known, &n, handle), "step %u", i);
        }
    }
    cr_assert_gt(most, 2048);
    xtf_mpi_requests_each(count_request, &n_listed);
    cr_assert_eq(n_listed, n);
    while (n > 0) {
        uint64_t handle = known[n / 2].handle;
        cr_assert_eq(complete_send(handle), known_complete(known, &n, handle));
    }
    free(known);
}

enum { THREADS = 4, ROUNDS = 40000, COMMON = 0x2c000001 };

/* Adds requests with a common handle and with a handle of its own, and completes the same number. Adds to *data each id
 * that it gets for the common handle, and subtracts each that it added. */
static void *work(void *data)
{
    uint64_t *sum = data, own = (uint64_t)(uintptr_t)data;

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t id = xtf_mpi_requests_ids(2);
        add_send(COMMON, id);
        add_send(own, id + 1);
        if (complete_send(own) != id + 1)
            return (void *)1;
        uint64_t got = complete_send(COMMON);
        if (got == 0)
            return (void *)2;
        *sum += got - id; /* the sum of all threads is zero if each id is returned once */
    }
    return NULL;
}

Test(requests, threads_lose_nothing)
{
    pthread_t threads[THREADS];
    uint64_t sums[THREADS] = {0}, sum = 0;

    xtf_mpi_requests_share(true);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
        sum += sums[i];
    }
    cr_assert_eq(sum, 0);
    cr_assert_eq(complete_send(COMMON), 0);
}
