#include <string.h>

#include "src/analysis/causes/pass-private.h"
#include "src/analysis/causes/waiters.h"

/* True if a location waits for a wait. */
static bool waits_for(const XtfPass *pass, const XtfWaitKey *key)
{
    const XtfPassWalk *walk = xtf_pass_walk(pass, key->culprit);

    return walk->waits && memcmp(&walk->key, key, sizeof *key) == 0;
}

static void add_arrived_member(XtfPass *pass, uint64_t instance, XtfWait *wait)
{
    const XtfArrivedMembers *members = xtf_arrivals_add_member(&pass->arrivals, instance, wait);

    if (members->arrived == members->awaited)
        xtf_pass_queue(pass, members->blocked);
}

static void add_arrival(void *data, uint64_t instance)
{
    add_arrived_member(data, instance, NULL);
}

static void add_wait(void *data, XtfWait *wait)
{
    XtfPass *pass = data;

    if (wait->instance != UINT64_MAX) {
        add_arrived_member(pass, wait->instance, wait);
        return;
    }
    if (waits_for(pass, &wait->key))
        xtf_pass_queue(pass, wait->key.culprit);
    xtf_arrivals_add(&pass->arrivals, wait);
}

static void add_answer(void *data, const XtfWaitAnswer *answer)
{
    XtfPass *pass = data;
    XtfPoints *points = pass->work->intervals.points;
    XtfPointResult result;

    xtf_points_results(points, answer->number, 1, &result);
    result.indirect = answer->indirect;
    result.cause = answer->cause;
    result.met = answer->met;
    result.culprit_met = answer->culprit_met;
    if (!pass->error)
        xtf_points_put_result(points, answer->number, &result, &pass->error);
}

static void add_loss(void *data, const XtfWaitKey *key)
{
    XtfPass *pass = data;

    if (!waits_for(pass, key))
        return;
    xtf_pass_walk(pass, key->culprit)->lost = true;
    xtf_pass_queue(pass, key->culprit);
}

static bool answer_question(XtfPass *pass, const XtfWaitQuestion *question, GError **error)
{
    XtfCulpritWork *work = pass->work;
    const XtfWaitKey *key = &question->key;
    const XtfCosts none = {0};
    bool found = false;
    uint64_t i;

    if (!xtf_wait_find(work, key, &i, &found, error))
        return false;
    if (!found)
        xtf_letters_put_loss(pass->letters, key);
    if (!found || !question->forced)
        return true;
    const XtfPoint *point = xtf_point_cache_get(work->intervals.cache, key->waiter, i, error);
    const XtfPoint copy = point ? *point : (XtfPoint){0};
    XtfWait *wait = point ? xtf_wait_new(work, key->waiter, i, &copy, &none, error) : NULL;
    if (wait)
        xtf_letters_put_wait(pass->letters, wait);
    return wait;
}

static void read_question(void *data, const XtfWaitQuestion *question)
{
    XtfPass *pass = data;

    if (!pass->error)
        answer_question(pass, question, &pass->error);
}

XtfLetterReader xtf_pass_letter_reader(XtfPass *pass)
{
    return (XtfLetterReader){pass, add_wait, add_arrival, add_answer, read_question, add_loss};
}
