#include "src/import/chrome/names.h"

#include <string.h>

#define FURTHER_NAMES "(further names)"

static uint32_t insert_name(XtfChromeNames *names, const char *text)
{
    const XtfChromeName name = {.text = g_strdup(text)};

    g_array_append_val(names->all, name);
    g_hash_table_insert(names->numbers, name.text, GUINT_TO_POINTER(names->all->len - 1));
    names->bytes += strlen(text) + 1;
    return names->all->len - 1;
}

static void free_name(void *data)
{
    g_free(((XtfChromeName *)data)->text);
}

void xtf_chrome_names_init(XtfChromeNames *names)
{
    *names = (XtfChromeNames){.numbers = g_hash_table_new(g_str_hash, g_str_equal),
                              .all = g_array_new(FALSE, FALSE, sizeof(XtfChromeName))};
    g_array_set_clear_func(names->all, free_name);
    insert_name(names, "");
}

void xtf_chrome_names_finish(XtfChromeNames *names)
{
    g_clear_pointer(&names->numbers, g_hash_table_unref);
    g_clear_pointer(&names->all, g_array_unref);
}

static bool find_name(const XtfChromeNames *names, const char *text, uint32_t *number)
{
    gpointer found;

    if (!g_hash_table_lookup_extended(names->numbers, text, NULL, &found))
        return false;
    *number = GPOINTER_TO_UINT(found);
    return true;
}

/* True if a text fits, with room for `reserved` more texts of 128 bytes. */
static bool fits(const XtfChromeNames *names, const char *text, uint32_t reserved)
{
    return names->all->len + reserved < XTF_CHROME_NAMES_MAX &&
           names->bytes + strlen(text) + (reserved << 7) < XTF_CHROME_NAMES_BYTES;
}

uint32_t xtf_chrome_name(XtfChromeNames *names, const char *text)
{
    uint32_t number;

    if (G_LIKELY(find_name(names, text, &number)))
        return number;
    if (fits(names, text, 0))
        return insert_name(names, text);
    if (names->further == 0)
        names->further = insert_name(names, FURTHER_NAMES);
    return names->further;
}

uint32_t xtf_chrome_value(XtfChromeNames *names, const char *text)
{
    uint32_t number;

    if (find_name(names, text, &number))
        return number;
    return fits(names, text, XTF_CHROME_NAMES_RESERVED) ? insert_name(names, text) : UINT32_MAX;
}
