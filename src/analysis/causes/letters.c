#include "src/analysis/causes/letters.h"

#include <string.h>

#include "src/analysis/formulas/blocks.h"

enum {
    WORK_MAX = 2048,     /* entries of work in a letter: longer work is sent ahead in parts */
    TURNS_PER_TAKE = 64, /* turns between looks for letters, while the share keeps many waits */
};

typedef enum {
    WORK,     /* Part, then entries of work of the next WAIT of this share */
    WAIT,     /* XtfWait */
    ARRIVAL,  /* uint64_t: instance */
    ANSWER,   /* XtfWaitAnswer */
    QUESTION, /* XtfWaitQuestion */
    LOSS,     /* XtfWaitKey */
} LetterKind;

typedef struct {
    uint32_t from, n;
} Part;

struct XtfLetters {
    XtfMail *mail;
    const uint32_t *borders;
    uint32_t self, n;
    XtfLetterReader reader;
    GArray *work;    /* Sent: parts of work, by the share that has sent them */
    uint32_t n_held; /* turns while the share kept many waits */
};

/* Work that was sent ahead. */
typedef struct {
    uint32_t from, n;
    XtfCallpathTicks *all;
} Sent;

XtfLetters *xtf_letters_new(XtfMail *mail, uint32_t self, const uint32_t *borders, uint32_t n,
                            const XtfLetterReader *reader)
{
    XtfLetters *letters = g_new0(XtfLetters, 1);

    *letters = (XtfLetters){.mail = mail,
                            .borders = borders,
                            .self = self,
                            .n = n,
                            .reader = *reader,
                            .work = g_array_new(FALSE, FALSE, sizeof(Sent))};
    return letters;
}

void xtf_letters_free(XtfLetters *letters)
{
    if (!letters)
        return;
    for (guint i = 0; i < letters->work->len; i++)
        g_free(g_array_index(letters->work, Sent, i).all);
    g_array_unref(letters->work);
    g_free(letters);
}

static uint32_t home_of(const XtfLetters *letters, uint32_t location)
{
    return xtf_block_of(letters->borders, letters->n, location);
}

static bool is_own(const XtfLetters *letters, uint32_t location)
{
    return location >= letters->borders[letters->self] && location < letters->borders[letters->self + 1];
}

/* Sends a letter to the home of a location. */
static void put_letter(XtfLetters *letters, uint32_t location, LetterKind kind, const void *bytes, size_t n)
{
    memcpy(xtf_mail_put(letters->mail, letters->self, home_of(letters, location), kind, (uint32_t)n), bytes, n);
}

/* ---- Waits. */

/* Sends the first entries of a wait's work ahead. */
static void put_work(XtfLetters *letters, uint32_t to, const XtfCallpathTicks *work, uint32_t n)
{
    Part *part = xtf_mail_put(letters->mail, letters->self, to, WORK, (uint32_t)(sizeof *part + n * sizeof *work));

    *part = (Part){letters->self, n};
    memcpy(part + 1, work, n * sizeof *work);
}

void xtf_letters_put_wait(XtfLetters *letters, XtfWait *wait)
{
    if (is_own(letters, wait->key.culprit)) {
        letters->reader.wait(letters->reader.data, wait);
        return;
    }
    uint32_t to = home_of(letters, wait->key.culprit), done = 0;
    for (; wait->n_work - done > WORK_MAX; done += WORK_MAX)
        put_work(letters, to, wait->work + done, WORK_MAX);
    size_t bytes = (wait->n_work - done) * sizeof *wait->work;
    XtfWait *sent = xtf_mail_put(letters->mail, letters->self, to, WAIT, (uint32_t)(sizeof *sent + bytes));
    memcpy(sent, wait, sizeof *sent);
    memcpy(sent->work, wait->work + done, bytes);
    g_free(wait);
}

static Sent *find_sent(const XtfLetters *letters, uint32_t from)
{
    for (guint i = 0; i < letters->work->len; i++)
        if (g_array_index(letters->work, Sent, i).from == from)
            return &g_array_index(letters->work, Sent, i);
    return NULL;
}

static void read_work(XtfLetters *letters, const Part *part)
{
    const Sent none = {.from = part->from};
    Sent *sent = find_sent(letters, part->from);

    if (!sent) {
        g_array_append_val(letters->work, none);
        sent = find_sent(letters, part->from);
    }
    sent->all = g_renew(XtfCallpathTicks, sent->all, sent->n + part->n);
    memcpy(sent->all + sent->n, part + 1, part->n * sizeof *sent->all);
    sent->n += part->n;
}

static void read_wait(XtfLetters *letters, const XtfWait *read)
{
    Sent none = {0}, *sent = letters->work->len > 0 ? find_sent(letters, home_of(letters, read->key.waiter)) : NULL;
    const Sent *ahead = sent ? sent : &none;
    XtfWait *wait = g_malloc(sizeof *wait + read->n_work * sizeof *wait->work);

    memcpy(wait, read, sizeof *wait);
    if (ahead->n > 0)
        memcpy(wait->work, ahead->all, ahead->n * sizeof *wait->work);
    memcpy(wait->work + ahead->n, read->work, (read->n_work - ahead->n) * sizeof *wait->work);
    if (sent) {
        g_free(sent->all);
        g_array_remove_index_fast(letters->work, (guint)(sent - (Sent *)(void *)letters->work->data));
    }
    letters->reader.wait(letters->reader.data, wait);
}

/* ---- Short letters. */

void xtf_letters_put_arrival(XtfLetters *letters, uint32_t culprit, uint64_t instance)
{
    if (is_own(letters, culprit))
        letters->reader.arrival(letters->reader.data, instance);
    else
        put_letter(letters, culprit, ARRIVAL, &instance, sizeof instance);
}

void xtf_letters_put_answer(XtfLetters *letters, const XtfWaitAnswer *answer)
{
    if (is_own(letters, answer->waiter))
        letters->reader.answer(letters->reader.data, answer);
    else
        put_letter(letters, answer->waiter, ANSWER, answer, sizeof *answer);
}

void xtf_letters_put_question(XtfLetters *letters, const XtfWaitQuestion *question)
{
    if (is_own(letters, question->key.waiter))
        letters->reader.question(letters->reader.data, question);
    else
        put_letter(letters, question->key.waiter, QUESTION, question, sizeof *question);
}

void xtf_letters_put_loss(XtfLetters *letters, const XtfWaitKey *key)
{
    if (is_own(letters, key->culprit))
        letters->reader.loss(letters->reader.data, key);
    else
        put_letter(letters, key->culprit, LOSS, key, sizeof *key);
}

static void read_letter(void *data, uint32_t kind, const void *bytes, uint32_t n_bytes)
{
    XtfLetters *letters = data;
    const XtfLetterReader *reader = &letters->reader;

    switch ((LetterKind)kind) {
    case WORK:
        read_work(letters, bytes);
        break;
    case WAIT:
        read_wait(letters, bytes);
        break;
    case ARRIVAL:
        reader->arrival(reader->data, *(const uint64_t *)bytes);
        break;
    case ANSWER:
        reader->answer(reader->data, bytes);
        break;
    case QUESTION:
        reader->question(reader->data, bytes);
        break;
    case LOSS:
        reader->loss(reader->data, bytes);
        break;
    }
}

void xtf_letters_take(XtfLetters *letters)
{
    if (!letters->mail)
        return;
    xtf_mail_take(letters->mail, letters->self, read_letter, letters);
    if (xtf_mail_is_awaited(letters->mail))
        xtf_mail_flush(letters->mail, letters->self);
}

void xtf_letters_take_between(XtfLetters *letters, bool holds_many)
{
    if (!letters->mail)
        return;
    if (!holds_many || ++letters->n_held % TURNS_PER_TAKE == 0)
        xtf_letters_take(letters);
    while (xtf_mail_is_full(letters->mail)) {
        xtf_mail_pause(letters->mail);
        xtf_letters_take(letters);
    }
}
