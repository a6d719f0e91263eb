/*
 * Messages put together: links from one end to the other, and what is said of a message.
 */
#include <criterion/criterion.h>

#include "mpi.h"

/* Where a link of a record leads, without what leads up; NULL if there is none. */
static char *target_of(const Written *written, const char *record, const char *link)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNode) directory = xtf_tree_resolve(written->tree, record, &error);

    cr_assert(directory, "%s: %s", record, error ? error->message : "");
    g_autoptr(XtfNode) node = xtf_node_lookup(directory, link, &error);
    if (!node) {
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s: %s", record, error->message);
        return NULL;
    }
    const char *target = xtf_node_target(node);
    while (g_str_has_prefix(target, "../"))
        target += strlen("../");
    return g_strdup(target);
}

static char *end_of(const char *type, unsigned process, uint64_t n)
{
    return g_strdup_printf("proc/%u/thread/0/%s/num/%" G_GUINT64_FORMAT, process, type, n);
}

/* A send and a receive lead to one another. */
static void assert_match(const Written *written, unsigned sender, uint64_t send, unsigned receiver, uint64_t receive)
{
    g_autofree char *from = end_of("sends", sender, send), *to = end_of("recvs", receiver, receive);
    g_autofree char *there = target_of(written, from, "match"), *back = target_of(written, to, "match");

    cr_assert(there && g_str_equal(there, to), "%s leads to %s", from, there);
    cr_assert(back && g_str_equal(back, from), "%s leads to %s", to, back);
}

/* Receives complete in another order than they are posted. */
Test(match, order_is_that_of_posting)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 4; i++)
        mpi_send(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, i / 3, 8});
    for (unsigned i = 0; i < 4; i++)
        mpi_irecv(&mpi, 1, 200 + 10 * i, 4, i);
    for (unsigned i = 0; i < 4; i++)
        mpi_wait(&mpi, 1, 300 + 10 * i, 4, (Envelope){0, MPI_WORLD, (3 - i) / 3, 8}, 3 - i);
    mpi_end(&mpi, &written);
    for (unsigned i = 0; i < 4; i++)
        assert_match(&written, 0, i, 1, 3 - i);
}

/* Ranks are those of the communicator, and differ from side to side. */
Test(match, communicators_name_processes)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 5, 1);
    mpi_send(&mpi, 0, 100, 4, (Envelope){3, MPI_REVERSED, 0, 8}); /* to process 1 */
    mpi_send(&mpi, 0, 110, 4, (Envelope){1, MPI_WORLD, 0, 8});
    mpi_send(&mpi, 0, 120, 4, (Envelope){0, MPI_INTER, 0, 8}); /* to process 1 */
    mpi_send(&mpi, 0, 130, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_send(&mpi, 1, 100, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_send(&mpi, 1, 110, 4, (Envelope){2, MPI_INTER, 0, 8}); /* to process 4 */
    mpi_recv(&mpi, 1, 200, 4, (Envelope){0, MPI_INTER, 0, 8});
    mpi_recv(&mpi, 1, 210, 4, (Envelope){0, MPI_WORLD, 0, 8});
    mpi_recv(&mpi, 1, 220, 4, (Envelope){4, MPI_REVERSED, 0, 8});
    mpi_recv(&mpi, 1, 230, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_recv(&mpi, 0, 200, 4, (Envelope){0, MPI_SELF, 0, 8});
    mpi_recv(&mpi, 4, 200, 4, (Envelope){0, MPI_INTER, 0, 8});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 0, 1, 2);
    assert_match(&written, 0, 1, 1, 1);
    assert_match(&written, 0, 2, 1, 0);
    assert_match(&written, 0, 3, 0, 0);
    assert_match(&written, 1, 0, 1, 3);
    assert_match(&written, 1, 1, 4, 0);
}

Test(match, cancelled_sends_have_no_place)
{
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < 6; i++)
        mpi_isend(&mpi, 0, 100 + 10 * i, 4, (Envelope){1, MPI_WORLD, 0, i}, i);
    mpi_record_cancel_send(&mpi, 0, 200, 3);
    mpi_record_cancel_send(&mpi, 0, 201, 0);
    mpi_record_cancel_send(&mpi, 0, 202, 2);
    mpi_recv(&mpi, 1, 300, 4, (Envelope){0, MPI_WORLD, 0, 1});
    mpi_recv(&mpi, 1, 310, 4, (Envelope){0, MPI_WORLD, 0, 4});
    mpi_recv(&mpi, 1, 320, 4, (Envelope){0, MPI_WORLD, 0, 5});
    mpi_end(&mpi, &written);
    assert_match(&written, 0, 1, 1, 0);
    assert_match(&written, 0, 4, 1, 1);
    assert_match(&written, 0, 5, 1, 2);
    for (unsigned i = 0; i < 4; i += i ? 1 : 2) {
        g_autofree char *from = end_of("sends", 0, i), *there = target_of(&written, from, "match");
        cr_assert_null(there);
    }
}
