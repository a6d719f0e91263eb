#include "src/files/paged.h"

#include <stdint.h>
#include <string.h>

enum { IN_FILE_MIN = 4 << 20 }; /* bytes; smaller tables are ordinary memory */

static void grow_in_memory(XtfPaged *paged, size_t size)
{
    bool in_file = paged->file.data;
    uint8_t *data = in_file ? g_malloc(size) : g_realloc(paged->data, size);
    size_t before = paged->size;

    if (in_file) {
        memcpy(data, paged->data, before);
        xtf_file_memory_free(&paged->file);
    }
    memset(data + before, 0, size - before);
    *paged = (XtfPaged){.data = data, .size = size};
}

bool xtf_paged_grow_in_file(XtfPaged *paged, size_t size, GError **error)
{
    bool in_file = paged->file.data;

    if (!in_file && size < IN_FILE_MIN) {
        grow_in_memory(paged, size);
        return true;
    }
    if (!xtf_file_memory_grow(&paged->file, size, size, error))
        return false;
    if (!in_file && paged->size > 0)
        memcpy(paged->file.data, paged->data, paged->size);
    if (!in_file)
        g_free(paged->data);
    paged->data = paged->file.data;
    paged->size = size;
    return true;
}

void *xtf_paged_grow(XtfPaged *paged, size_t size)
{
    if (!xtf_paged_grow_in_file(paged, size, NULL))
        grow_in_memory(paged, size);
    return paged->data;
}

void xtf_paged_page_out(const XtfPaged *paged)
{
    if (paged->file.data)
        xtf_file_memory_page_out(paged->data, paged->size);
}

void xtf_paged_free(XtfPaged *paged)
{
    if (!paged->file.data)
        g_free(paged->data);
    xtf_file_memory_free(&paged->file);
    *paged = (XtfPaged){0};
}
