/*
 * Arguments of events: the object "args", whose members become attributes of records.
 */
#include <string.h>

#include "src/import/chrome/import.h"
#include "src/import/chrome/numbers.h"

const XtfChromeValue *xtf_chrome_argument(const XtfChromeEvent *event, const char *name)
{
    for (guint i = event->arguments->len; i-- > 0;) {
        const XtfChromeArgument *argument = &g_array_index(event->arguments, XtfChromeArgument, i);
        if (strcmp(xtf_chrome_bytes(event, argument->key), name) == 0)
            return &argument->value;
    }
    return NULL;
}

bool xtf_chrome_number(const XtfChromeEvent *event, const XtfChromeValue *value, unsigned *type, uint64_t *bits)
{
    if (value->kind != XTF_CHROME_NUMBER)
        return false;
    const char *text = xtf_chrome_bytes(event, value->at);
    int64_t integer;
    if (xtf_chrome_read_integer(text, value->size, &integer)) {
        *type = XTF_CHROME_INT64;
        *bits = (uint64_t)integer;
    } else if (xtf_chrome_read_unsigned(text, value->size, bits)) {
        *type = XTF_CHROME_UINT64;
    } else {
        double real = xtf_chrome_read_real(text, value->size);
        *type = XTF_CHROME_DOUBLE;
        memcpy(bits, &real, sizeof real);
    }
    return true;
}

/* Converts an argument's value. False if it has none that is kept. */
static bool convert_argument(XtfChromeImport *import, const XtfChromeValue *value, XtfChromeStoredArgument *stored)
{
    unsigned type;

    if (value->kind == XTF_CHROME_NONE)
        return false;
    if (value->kind == XTF_CHROME_BOOLEAN) {
        stored->type = XTF_CHROME_UINT8;
        stored->value = value->size;
        return true;
    }
    if (xtf_chrome_number(&import->event, value, &type, &stored->value)) {
        stored->type = type;
        return true;
    }
    uint32_t number = xtf_chrome_value(&import->names, xtf_chrome_bytes(&import->event, value->at));
    import->dropped_values += number == UINT32_MAX;
    stored->type = XTF_CHROME_STRING;
    stored->value = number;
    return number != UINT32_MAX;
}

void xtf_chrome_store_arguments(XtfChromeImport *import, gsize at)
{
    const GArray *arguments = import->event.arguments;
    uint16_t n = 0;

    for (guint i = 0; i < arguments->len; i++) {
        const XtfChromeArgument *argument = &g_array_index(arguments, XtfChromeArgument, i);
        XtfChromeStoredArgument stored = {0};
        if (!convert_argument(import, &argument->value, &stored))
            continue;
        stored.name = xtf_chrome_name(&import->names, xtf_chrome_bytes(&import->event, argument->key));
        xtf_chrome_name_at(&import->names, stored.name)->attribute_types |= UINT32_C(1) << stored.type;
        g_byte_array_append(import->entry, (const guint8 *)&stored, sizeof stored);
        n++;
    }
    ((XtfChromeStored *)(import->entry->data + at))->n_arguments = n;
    import->cut_arguments += import->event.cut_argument;
}
