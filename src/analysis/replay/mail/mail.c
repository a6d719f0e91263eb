#include "src/analysis/replay/mail/mail.h"

#include <stdatomic.h>

#include "libxtf/error.h"

enum {
    BATCH_BYTES = (64 << 10) - 64,
    WAITING_MAX = 64, /* batches that wait in a rank before it is full */
    /* Calls of xtf_mail_take() in a job... */
    TAKES_PER_LOOK = 16,  /* ...between looks for letters */
    TAKES_PER_FLUSH = 64, /* ...after which letters leave batches that are not full */
};

#define NO_SHARE UINT32_MAX

typedef struct Batch {
    struct Batch *next;
    uint32_t used;
    uint64_t words[]; /* letters: a Head and a multiple of 8 bytes each */
} Batch;

typedef struct {
    uint32_t kind, n_bytes;
} Head;

/* The state of a share. Its thread alone uses `out`. */
typedef struct {
    Batch **out; /* by share: the open batch; NULL: none */
    Batch *first, *last;
    atomic_bool any; /* true if `first` is set */
    bool waits, marked;
    GCond news;
} Box;

struct XtfMail {
    XtfWorld *world; /* NULL: the shares are threads */
    uint32_t n_takes;
    Box *boxes; /* by share */
    uint32_t n;
    GMutex lock;            /* guards the delivered batches, `waits`, `n_waiting` and `leader` */
    uint32_t n_waiting;     /* number of shares that wait */
    uint32_t leader;        /* share that decides for all, as all wait; NO_SHARE: none */
    atomic_uint n_awaiting; /* the same, to be read without the lock */
    atomic_bool ended;
};

XtfMail *xtf_mail_new(uint32_t n_shares)
{
    XtfMail *mail = g_new0(XtfMail, 1);

    mail->n = n_shares;
    mail->leader = NO_SHARE;
    mail->boxes = g_new0(Box, n_shares);
    g_mutex_init(&mail->lock);
    for (uint32_t i = 0; i < n_shares; i++) {
        mail->boxes[i].out = g_new0(Batch *, n_shares);
        g_cond_init(&mail->boxes[i].news);
    }
    return mail;
}

XtfMail *xtf_mail_new_of_ranks(XtfWorld *world)
{
    XtfMail *mail = g_new0(XtfMail, 1);

    mail->world = world;
    mail->n = xtf_world_size(world);
    mail->boxes = g_new0(Box, mail->n);
    mail->boxes[xtf_world_rank(world)].out = g_new0(Batch *, mail->n);
    g_mutex_init(&mail->lock);
    return mail;
}

static void free_batches(Batch *batch)
{
    while (batch) {
        Batch *next = batch->next;
        g_free(batch);
        batch = next;
    }
}

void xtf_mail_free(XtfMail *mail)
{
    if (!mail)
        return;
    for (uint32_t i = 0; i < mail->n; i++) {
        for (uint32_t to = 0; mail->boxes[i].out && to < mail->n; to++)
            g_free(mail->boxes[i].out[to]);
        g_free(mail->boxes[i].out);
        free_batches(mail->boxes[i].first);
        if (!mail->world)
            g_cond_clear(&mail->boxes[i].news);
    }
    g_mutex_clear(&mail->lock);
    g_free(mail->boxes);
    g_free(mail);
}

/* ---- Sending. */

/* Ends the waiting of a share. The caller holds the lock. */
static void wake_share(XtfMail *mail, Box *box)
{
    if (!box->waits)
        return;
    box->waits = false;
    atomic_store_explicit(&mail->n_awaiting, --mail->n_waiting, memory_order_relaxed);
    g_cond_signal(&box->news);
}

static void deliver_batch(XtfMail *mail, uint32_t from, uint32_t to)
{
    Box *box = &mail->boxes[to];
    Batch *batch = g_steal_pointer(&mail->boxes[from].out[to]);

    if (mail->world) {
        xtf_world_send(mail->world, to, batch->words, batch->used);
        g_free(batch);
        return;
    }
    g_mutex_lock(&mail->lock);
    if (box->first)
        box->last->next = batch;
    else
        box->first = batch;
    box->last = batch;
    atomic_store_explicit(&box->any, true, memory_order_relaxed);
    wake_share(mail, box);
    g_mutex_unlock(&mail->lock);
}

static Batch *new_batch(void)
{
    Batch *batch = g_malloc(sizeof *batch + BATCH_BYTES);

    batch->next = NULL;
    batch->used = 0;
    return batch;
}

void *xtf_mail_put(XtfMail *mail, uint32_t from, uint32_t to, uint32_t kind, uint32_t n_bytes)
{
    Batch **out = &mail->boxes[from].out[to];
    uint32_t size = (uint32_t)sizeof(Head) + ((n_bytes + 7) & ~7u);

    g_assert(size <= BATCH_BYTES);
    if (*out && (*out)->used + size > BATCH_BYTES)
        deliver_batch(mail, from, to);
    if (!*out)
        *out = new_batch();
    Head *head = (Head *)(void *)((uint8_t *)(*out)->words + (*out)->used);
    *head = (Head){kind, n_bytes};
    (*out)->used += size;
    return head + 1;
}

void xtf_mail_flush(XtfMail *mail, uint32_t from)
{
    for (uint32_t to = 0; to < mail->n; to++)
        if (mail->boxes[from].out[to])
            deliver_batch(mail, from, to);
}

bool xtf_mail_is_awaited(const XtfMail *mail)
{
    return mail->world ? mail->n_takes % TAKES_PER_FLUSH == 0
                       : atomic_load_explicit(&mail->n_awaiting, memory_order_relaxed) > 0;
}

bool xtf_mail_is_full(XtfMail *mail)
{
    return mail->world && xtf_world_n_waiting(mail->world) > WAITING_MAX && !xtf_mail_has_ended(mail) &&
           !xtf_world_were_warned(mail->world);
}

void xtf_mail_pause(XtfMail *mail)
{
    xtf_world_wait(mail->world);
}

/* ---- Receiving. */

static void read_letters(const void *letters, size_t used, XtfMailRead read, void *data)
{
    for (size_t at = 0; at < used;) {
        const Head *head = (const Head *)(const void *)((const uint8_t *)letters + at);
        read(data, head->kind, head + 1, head->n_bytes);
        at += sizeof *head + ((head->n_bytes + 7) & ~7u);
    }
}

/* Reads the letters of other ranks. */
static void take_from_ranks(XtfMail *mail, XtfMailRead read, void *data)
{
    unsigned from;
    GBytes *batch;
    gsize used;

    if (++mail->n_takes % TAKES_PER_LOOK != 0 && !xtf_world_has_batch(mail->world))
        return;
    while ((batch = xtf_world_receive(mail->world, &from))) {
        const void *letters = g_bytes_get_data(batch, &used);
        read_letters(letters, used, read, data);
        g_bytes_unref(batch);
    }
    if (xtf_world_were_warned(mail->world))
        atomic_store(&mail->ended, true);
}

void xtf_mail_take(XtfMail *mail, uint32_t self, XtfMailRead read, void *data)
{
    Box *box = &mail->boxes[self];

    if (mail->world) {
        take_from_ranks(mail, read, data);
        return;
    }
    if (!atomic_load_explicit(&box->any, memory_order_relaxed))
        return;
    g_mutex_lock(&mail->lock);
    Batch *all = g_steal_pointer(&box->first);
    atomic_store_explicit(&box->any, false, memory_order_relaxed);
    g_mutex_unlock(&mail->lock);
    for (const Batch *batch = all; batch; batch = batch->next)
        read_letters(batch->words, batch->used, read, data);
    free_batches(all);
}

/* ---- Waiting. */

/* Waits until the share gets letters or is resumed, the run is quiet, or it ends. The caller holds the lock. */
static XtfMailState wait_for_news(XtfMail *mail, uint32_t self)
{
    Box *box = &mail->boxes[self];

    while (box->waits && mail->leader != self && !xtf_mail_has_ended(mail))
        g_cond_wait(&box->news, &mail->lock);
    if (xtf_mail_has_ended(mail))
        return XTF_MAIL_ENDED;
    return box->waits ? XTF_MAIL_QUIET : XTF_MAIL_NEWS;
}

static XtfMailState wait_for_ranks(XtfMail *mail)
{
    while (!xtf_world_deliver_batches(mail->world)) {
        if (mail->ended || xtf_world_were_warned(mail->world)) {
            atomic_store(&mail->ended, true);
            return XTF_MAIL_ENDED;
        }
        if (xtf_world_are_done(mail->world))
            return XTF_MAIL_QUIET;
        xtf_world_wait(mail->world);
    }
    return XTF_MAIL_NEWS;
}

XtfMailState xtf_mail_wait(XtfMail *mail, uint32_t self)
{
    Box *box = &mail->boxes[self];

    xtf_mail_flush(mail, self);
    if (mail->world)
        return wait_for_ranks(mail);
    g_mutex_lock(&mail->lock);
    if (!box->first) {
        box->waits = true;
        atomic_store_explicit(&mail->n_awaiting, ++mail->n_waiting, memory_order_relaxed);
        if (mail->n_waiting == mail->n)
            mail->leader = self;
    }
    XtfMailState state = wait_for_news(mail, self);
    g_mutex_unlock(&mail->lock);
    return state;
}

void xtf_mail_mark(XtfMail *mail, uint32_t share)
{
    mail->boxes[share].marked = true;
}

XtfMailState xtf_mail_resume(XtfMail *mail, uint32_t self)
{
    g_mutex_lock(&mail->lock);
    mail->leader = NO_SHARE;
    for (uint32_t i = 0; i < mail->n; i++) {
        if (mail->boxes[i].marked)
            wake_share(mail, &mail->boxes[i]);
        mail->boxes[i].marked = false;
    }
    XtfMailState state = wait_for_news(mail, self);
    g_mutex_unlock(&mail->lock);
    return state;
}

void xtf_mail_end(XtfMail *mail)
{
    g_mutex_lock(&mail->lock);
    atomic_store(&mail->ended, true);
    if (mail->world)
        xtf_world_warn(mail->world);
    for (uint32_t i = 0; !mail->world && i < mail->n; i++)
        g_cond_signal(&mail->boxes[i].news);
    g_mutex_unlock(&mail->lock);
}

bool xtf_mail_has_ended(const XtfMail *mail)
{
    return atomic_load_explicit(&mail->ended, memory_order_relaxed);
}

static GThread *start_thread(XtfMail *mail, const char *name, GThreadFunc run, const XtfMailThread *one)
{
    g_autoptr(GError) reason = NULL;
    GThread *thread = g_thread_try_new(name, run, one->share, &reason);

    if (!thread) {
        xtf_fail(one->error, XTF_ERROR_IO, "a thread cannot be started: %s; -j 1 needs none", reason->message);
        xtf_mail_end(mail);
    }
    return thread;
}

void xtf_mail_run_threads(XtfMail *mail, const char *name, GThreadFunc run, const XtfMailThread *threads, uint32_t n)
{
    g_autofree GThread **started = g_new0(GThread *, n);

    for (uint32_t i = 1; i < n; i++)
        started[i] = start_thread(mail, name, run, &threads[i]);
    run(threads[0].share);
    for (uint32_t i = 1; i < n; i++)
        if (started[i])
            g_thread_join(started[i]);
}
