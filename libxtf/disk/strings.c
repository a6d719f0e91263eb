#include "libxtf/disk/strings.h"

#include "libxtf/base/bytes.h"

void xtf_strings_encode(GByteArray *heap)
{
    uint32_t id;
    xtf_strings_add(heap, "", &id);
}

bool xtf_strings_add(GByteArray *heap, const char *text, uint32_t *id)
{
    size_t length = strlen(text);

    if (heap->len + sizeof(XtfLe32) + length + 1 > G_MAXINT32) /* a commit block holds a copy of the whole heap */
        return false;
    *id = heap->len;
    xtf_bytes_write_u32(heap, (uint32_t)length);
    g_byte_array_append(heap, (const guint8 *)text, (guint)length + 1);
    return true;
}

bool xtf_strings_get(const uint8_t *heap, uint64_t size, uint64_t id, const char **text, uint32_t *length,
                     const char **fault)
{
    if (size < sizeof(XtfLe32) || id > size - sizeof(XtfLe32)) {
        *fault = "it lies outside of the heap";
        return false;
    }
    uint64_t n = xtf_load32(heap + id);
    const char *begin = (const char *)heap + id + sizeof(XtfLe32);
    if (n >= size - id - sizeof(XtfLe32)) {
        *fault = "it extends past the end of the heap";
        return false;
    }
    if (begin[n] != '\0') {
        *fault = "no NUL follows its bytes";
        return false;
    }
    *text = begin;
    *length = (uint32_t)n;
    return true;
}

uint64_t xtf_strings_next(uint64_t id, uint32_t length)
{
    return id + sizeof(XtfLe32) + length + 1;
}
