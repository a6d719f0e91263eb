#include "src/record/names/namer.h"

#include <glib.h>

#include "src/record/names/symbols.h"

struct XtfNamer {
    GThread *thread;
    XtfSymbols *symbols; /* of the thread */
    GAsyncQueue *questions, *answers;
    gint owners;  /* the thread and the caller: the last one frees the memory */
    gint looking; /* atomic: the thread looks up a name */
};

static XtfNaming last_question; /* a question that ends the thread */

void xtf_naming_free(XtfNaming *naming)
{
    if (!naming || naming == &last_question)
        return;
    xtf_call_place_clear(&naming->place);
    g_free(naming->path);
    g_free(naming);
}

static void free_naming(gpointer naming)
{
    xtf_naming_free(naming);
}

static void disown(XtfNamer *namer)
{
    if (!g_atomic_int_dec_and_test(&namer->owners))
        return;
    g_async_queue_unref(namer->questions);
    g_async_queue_unref(namer->answers);
    xtf_symbols_free(namer->symbols);
    g_free(namer);
}

static gpointer find_places(gpointer data)
{
    XtfNamer *namer = data;
    XtfNaming *naming;

    while ((naming = g_async_queue_pop(namer->questions)) != &last_question) {
        g_atomic_int_set(&namer->looking, 1);
        xtf_symbols_find_call(namer->symbols, naming->path, naming->base, naming->address, &naming->place);
        g_atomic_int_set(&namer->looking, 0);
        g_async_queue_push(namer->answers, naming);
    }
    disown(namer);
    return NULL;
}

XtfNamer *xtf_namer_new(void)
{
    XtfNamer *namer = g_new0(XtfNamer, 1);

    namer->symbols = xtf_symbols_new(); /* changes the environment, which the thread may not */
    namer->questions = g_async_queue_new_full(free_naming);
    namer->answers = g_async_queue_new_full(free_naming);
    namer->owners = 2;
    namer->thread = g_thread_try_new("names", find_places, namer, NULL);
    if (namer->thread)
        return namer;
    namer->owners = 1;
    disown(namer);
    return NULL;
}

void xtf_namer_free(XtfNamer *namer)
{
    if (!namer)
        return;
    GThread *thread = namer->thread;
    bool ends_soon = !g_atomic_int_get(&namer->looking);

    g_async_queue_push_front(namer->questions, &last_question);
    disown(namer);
    if (ends_soon) /* libraries below libdw crash if a thread that used them ends while the process does */
        g_thread_join(thread);
    else
        g_thread_unref(thread);
}

void xtf_namer_ask(XtfNamer *namer, uint32_t number, const char *path, uint64_t base, uint64_t address)
{
    XtfNaming *naming = g_new0(XtfNaming, 1);

    *naming = (XtfNaming){.number = number, .path = g_strdup(path), .base = base, .address = address};
    g_async_queue_push(namer->questions, naming);
}

XtfNaming *xtf_namer_answer(XtfNamer *namer, uint64_t timeout_us)
{
    return timeout_us > 0 ? g_async_queue_timeout_pop(namer->answers, timeout_us)
                          : g_async_queue_try_pop(namer->answers);
}
