/* Data of which each thread has its own. */
#pragma once

#include <glib.h>

/* The thread's data under a key, whose function frees it when the thread ends: all zeros when it is first asked for. */
static inline void *xtf_thread_data(GPrivate *key, size_t bytes)
{
    void *data = g_private_get(key);

    if (!data) {
        data = g_malloc0(bytes);
        g_private_set(key, data);
    }
    return data;
}
