/* State and helper functions of all decoders. */
#include "src/record/collect/rows/collect.h"

#include <string.h>

typedef struct {
    void *memory;
    GDestroyNotify free;
} OwnMemory;

static void thread_clear(gpointer data)
{
    XtfCollectThread *thread = data;

    g_free(thread->name);
}

static void own_free(gpointer data)
{
    OwnMemory *own = data;

    if (own->free)
        own->free(own->memory);
    g_free(own->memory);
    g_free(own);
}

static void add_decoders(XtfCollector *collector, const XtfCollectRows *rows)
{
    for (const XtfCollectKind *kind = rows->kinds; kind && kind->decode; kind++)
        collector->kinds[kind->kind] = kind->decode;
    for (const XtfCollectDefinition *definition = rows->definitions; definition && definition->define; definition++)
        collector->definitions[definition->type] = definition->define;
}

void xtf_collector_init(XtfCollector *collector, XtfWriter *writer, const XtfCollectRows *const *rows)
{
    *collector = (XtfCollector){
        .rank = XTF_WIRE_NONE,
        .threads = g_array_new(FALSE, TRUE, sizeof(XtfCollectThread)),
        .regions_by_text = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .remarks = g_ptr_array_new_with_free_func(g_free),
        .own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, own_free),
    };
    g_array_set_clear_func(collector->threads, thread_clear);
    xtf_tags_init(&collector->tags);
    xtf_collect_tables_init(&collector->tables, writer);
    for (; *rows; rows++)
        add_decoders(collector, *rows);
}

void xtf_collector_finish(XtfCollector *collector)
{
    g_hash_table_unref(collector->own);
    g_array_unref(collector->threads);
    xtf_tags_finish(&collector->tags);
    g_ptr_array_unref(collector->remarks);
    g_hash_table_unref(collector->regions_by_text);
    g_free(collector->regions);
    g_free(collector->sites);
    xtf_collect_requests_finish(&collector->requests);
    xtf_collect_tables_finish(&collector->tables);
}

bool xtf_collect_malformed(XtfCollectRing *ring, const char *format, ...)
{
    va_list arguments;

    if (ring->fault)
        return false;
    va_start(arguments, format);
    g_autofree char *fault = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    ring->fault = g_strdup_printf("ring %" PRIu32 ", byte %" PRIu64 ": %s", ring->number, ring->position, fault);
    return false;
}

void *xtf_collect_own(XtfCollector *collector, const char *name, size_t size, GDestroyNotify free)
{
    OwnMemory *own = g_hash_table_lookup(collector->own, name);

    if (!own) {
        own = g_new(OwnMemory, 1);
        *own = (OwnMemory){.memory = g_malloc0(size), .free = free};
        g_hash_table_insert(collector->own, g_strdup(name), own);
    }
    return own->memory;
}

void xtf_collect_remark(XtfCollector *collector, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    for (guint i = 0; i < collector->remarks->len; i++)
        if (collector->remarks->len >= XTF_COLLECT_REMARKS_MAX || g_str_equal(collector->remarks->pdata[i], text))
            return;
    g_ptr_array_add(collector->remarks, g_steal_pointer(&text));
}

bool xtf_collect_read_bytes(XtfCollectData *data, size_t size, const uint8_t **bytes)
{
    if (size > data->left)
        return xtf_collect_malformed(data->ring, "a definition has %zu bytes left, and %zu are needed", data->left,
                                     size);
    *bytes = data->data;
    data->data += size;
    data->left -= size;
    return true;
}

bool xtf_collect_read(XtfCollectData *data, void *to, size_t size)
{
    const uint8_t *bytes;

    if (!xtf_collect_read_bytes(data, size, &bytes))
        return false;
    memcpy(to, bytes, size);
    return true;
}

bool xtf_collect_read_text(XtfCollectData *data, size_t size, char **text)
{
    const uint8_t *bytes;

    if (!xtf_collect_read_bytes(data, size, &bytes))
        return false;
    *text = g_strndup((const char *)bytes, size);
    return true;
}
