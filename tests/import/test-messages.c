/* Postings of messages, compared with a linear search of a list of all postings, and the set of tags. */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "src/import/definitions/tags.h"
#include "src/import/requests.h"

/* A posting and its state. */
typedef struct {
    uint64_t id, message;
    XtfRequestState state;
} Naive;

static Naive *latest_posting(GArray *all, uint64_t id, XtfRequestState kind)
{
    for (guint i = all->len; i > 0; i--) {
        Naive *posting = &g_array_index(all, Naive, i - 1);
        if (posting->id == id && posting->state == kind)
            return posting;
    }
    return NULL;
}

static void naive_post(GArray *all, uint64_t id, XtfRequestState state)
{
    Naive *before = latest_posting(all, id, state), posting = {.id = id, .state = state};

    if (before && (state == XTF_REQUEST_RECEIVING || state == XTF_REQUEST_SENDING))
        before->state = XTF_REQUEST_FORGOTTEN;
    g_array_append_val(all, posting);
}

static void naive_cancel(GArray *all, uint64_t id)
{
    Naive *receive = latest_posting(all, id, XTF_REQUEST_RECEIVING),
          *send = latest_posting(all, id, XTF_REQUEST_SENDING);

    if (receive && receive > send)
        receive->state = XTF_REQUEST_FORGOTTEN;
    else if (send)
        send->state = XTF_REQUEST_CANCELLED_SEND;
}

/* Takes all postings that are ready. Asserts that each is the next one that was not forgotten. */
static guint take_postings(XtfRequests *requests, GArray *all, guint next, bool ended)
{
    const XtfRequest *request;

    while ((request = xtf_requests_take(requests, ended))) {
        const Naive *posting = &g_array_index(all, Naive, next);
        while (posting->state == XTF_REQUEST_FORGOTTEN ||
               (ended && (posting->state == XTF_REQUEST_RECEIVING || posting->state == XTF_REQUEST_SENDING))) {
            posting++;
            next++;
        }
        cr_assert_eq(request->row.seq, next);
        cr_assert_eq(request->state, posting->state);
        cr_assert_eq(request->row.message, posting->message);
        next++;
    }
    return next;
}

static void change_posting(XtfRequests *requests, GArray *all, GRand *random, uint64_t ids)
{
    uint64_t id = g_rand_int_range(random, 0, ids);
    XtfPostingsRow row = {.seq = all->len}, *received;
    XtfRequestState state = g_rand_boolean(random) ? XTF_REQUEST_RECEIVING : XTF_REQUEST_SENDING;
    Naive *posting;

    switch (g_rand_int_range(random, 0, 8)) {
    case 0:
        state = XTF_REQUEST_RECEIVED;
        /* fall through */
    case 1 ... 3:
        naive_post(all, id, state);
        cr_assert(xtf_requests_post(requests, state, id, &row, NULL));
        break;
    case 4 ... 5:
        posting = latest_posting(all, id, XTF_REQUEST_RECEIVING);
        received = xtf_requests_receive(requests, id);
        cr_assert_eq(!received, !posting);
        if (received) {
            cr_assert_eq(received->seq, (uint64_t)(posting - (Naive *)all->data));
            received->message = posting->message = g_rand_int(random);
            posting->state = XTF_REQUEST_RECEIVED;
        }
        break;
    case 6:
        if ((posting = latest_posting(all, id, XTF_REQUEST_SENDING)))
            posting->state = XTF_REQUEST_FORGOTTEN;
        xtf_requests_sent(requests, id);
        break;
    default:
        naive_cancel(all, id);
        xtf_requests_cancel(requests, id);
    }
}

Test(messages, postings_are_taken_in_order)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    XtfRequests requests;

    xtf_requests_init(&requests, NULL);
    for (unsigned round = 0; round < 60; round++) {
        g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Naive));
        guint next = 0;
        for (unsigned i = 0; i < 1500; i++) {
            change_posting(&requests, all, random, 1 + round * round);
            if (round % 2)
                next = take_postings(&requests, all, next, false);
        }
        if (round % 3)
            take_postings(&requests, all, next, true);
        else
            xtf_requests_clear(&requests);
        cr_assert(xtf_requests_empty(&requests));
    }
    xtf_requests_finish(&requests);
}

/* One posting never completes and delays more others than memory holds, so they go to a file. The table still finds
 * them there. */
Test(messages, many_postings_go_to_a_file)
{
    enum { N = 3 * XTF_REQUESTS_IN_MEMORY };
    g_autofree char *folder = g_dir_make_tmp("xtf-messages-XXXXXX", NULL);
    XtfRequests requests;

    xtf_requests_init(&requests, folder);
    for (unsigned location = 0; location < 2; location++) {
        for (uint64_t i = 0; i < N; i++)
            cr_assert(xtf_requests_post(&requests, XTF_REQUEST_RECEIVING, i << 12, &(XtfPostingsRow){.seq = i}, NULL));
        cr_assert(requests.ring_file.data && requests.slots_file.data);
        cr_assert(requests.ring_file.file < 0 && requests.slots_file.file < 0, "many locations hold no descriptors");
        for (uint64_t i = N - 1; i > 0; i--) {
            XtfPostingsRow *row = xtf_requests_receive(&requests, i << 12);
            cr_assert(row && row->seq == i);
            row->message = 5 * i;
        }
        cr_assert_null(xtf_requests_take(&requests, false));
        for (uint64_t i = 1; i < N && location == 0; i++) {
            const XtfRequest *request = xtf_requests_take(&requests, true);
            cr_assert(request && request->row.seq == i && request->row.message == 5 * i);
        }
        cr_assert(location > 0 || !xtf_requests_take(&requests, true));
        xtf_requests_clear(&requests);
        cr_assert_eq(requests.capacity, 0);
    }
    xtf_requests_finish(&requests);
    cr_assert_eq(g_rmdir(folder), 0, "the files are unlinked");
}

Test(messages, a_missing_folder_is_an_error)
{
    g_autoptr(GError) error = NULL;
    XtfRequests requests;
    bool fits = true;

    xtf_requests_init(&requests, "/nonexistent");
    for (uint64_t i = 0; i <= XTF_REQUESTS_IN_MEMORY && fits; i++) {
        cr_assert_null(error);
        fits = xtf_requests_post(&requests, XTF_REQUEST_SENDING, i, &(XtfPostingsRow){0}, &error);
        cr_assert_eq(fits, i < XTF_REQUESTS_IN_MEMORY);
    }
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO));
    xtf_requests_finish(&requests);
}

static void check_tags(XtfTags *tags, const GArray *wanted, bool has_others)
{
    g_autoptr(GArray) list = xtf_tags_list(tags);

    cr_assert_eq(list->len, MIN(wanted->len, XTF_TAGS_MAX));
    for (guint i = 0; i < list->len; i++)
        cr_assert_eq(g_array_index(list, uint32_t, i), g_array_index(wanted, uint32_t, i));
    cr_assert_eq(tags->has_more, has_others || wanted->len > XTF_TAGS_MAX);
}

/* The set keeps the least tags, in any order and for any split into sets. */
Test(messages, tags_are_the_least)
{
    static const uint32_t counts[] = {0, 1, 64, 4096, 4097, 8192, 30000};
    g_autoptr(GRand) random = g_rand_new_with_seed(4);

    for (unsigned c = 0; c < G_N_ELEMENTS(counts); c++) {
        g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        XtfTags all, parts[3];
        for (uint32_t i = 0; i < counts[c]; i++)
            wanted = g_array_append_vals(wanted, &(uint32_t){i * 7}, 1);
        xtf_tags_init(&all);
        for (unsigned p = 0; p < 3; p++)
            xtf_tags_init(&parts[p]);
        for (uint32_t i = 0; i < 3 * counts[c]; i++) {
            uint32_t tag = (uint32_t)g_rand_int_range(random, 0, (gint)counts[c]) * 7;
            xtf_tags_add(&all, tag);
            xtf_tags_add(&parts[i % 3], tag);
        }
        for (uint32_t i = 0; i < counts[c]; i++) {
            xtf_tags_add(&all, (counts[c] - 1 - i) * 7);
            xtf_tags_add(&parts[i % 3], (counts[c] - 1 - i) * 7);
        }
        check_tags(&all, wanted, false);
        xtf_tags_add(&parts[2], UINT32_MAX);
        for (unsigned p = 1; p < 3; p++)
            xtf_tags_add_all(&parts[0], &parts[p]);
        check_tags(&parts[0], wanted, true);
        xtf_tags_finish(&all);
        for (unsigned p = 0; p < 3; p++)
            xtf_tags_finish(&parts[p]);
    }
}
