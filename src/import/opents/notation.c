#include "src/import/opents/notation.h"

#include <glib.h>

enum {
    DIGITS_OF_TIMES = 9,
    DIGITS_OF_REALS = 15, /* decimal digits that a double keeps */
};

char *xtf_notation_text(const XtfNotation *notation, bool *mixed)
{
    GString *text = g_string_new(NULL);

    *mixed = false;
    for (unsigned i = 0; i < XTF_N_DECIMALS; i++) {
        bool real = i == XTF_DECIMAL_MBYTES || i == XTF_DECIMAL_MFLOPS;
        unsigned most = notation->attributes[i].most, kept = real ? DIGITS_OF_REALS : DIGITS_OF_TIMES;
        bool fixed =
            notation->attributes[i].any && notation->attributes[i].least == most && !notation->attributes[i].unusual;
        if (text->len > 0)
            g_string_append_c(text, ' ');
        if (fixed && most <= kept)
            g_string_append_printf(text, "%u", most);
        else
            g_string_append_c(text, '-');
        *mixed |= most > kept || (!fixed && (notation->attributes[i].trailing || notation->attributes[i].unusual));
    }
    return g_string_free(text, FALSE);
}
