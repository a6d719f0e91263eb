/* Data of the calling thread. */
#pragma once

#include <glib.h>

/* Returns the thread's data of `key`, allocated as zeros at the thread's first call. The key's destructor frees the
 * data when the thread ends. */
static inline void *xtf_thread_data(GPrivate *key, size_t bytes)
{
    void *data = g_private_get(key);

    if (!data) {
        data = g_malloc0(bytes);
        g_private_set(key, data);
    }
    return data;
}
