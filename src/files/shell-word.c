#include "src/files/shell-word.h"

#include <glib.h>
#include <string.h>

char *xtf_shell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";

    return *word && word[strspn(word, plain)] == '\0' ? g_strdup(word) : g_shell_quote(word);
}
