#include "src/trace/typed/nearest.h"

#include <string.h>

enum {
    ERRORS_MAX = 2,
    CHARACTERS_PER_ERROR = 3,
};

/* Returns the number of typing errors between two short words. Computes one row of a table per character of `a`, and
 * keeps the last three rows (V. I. Levenshtein, 1965; with exchanges of neighbours: optimal string alignment, R. A.
 * Wagner and R. Lowrance, 1975). */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][XTF_NEAREST_WORD_MAX + 1];
    size_t n = strlen(b), i = 0;

    for (unsigned j = 0; j <= n; j++)
        rows[0][j] = j;
    for (; a[i]; i++) {
        const unsigned *before = rows[(i + 2) % 3], *above = rows[i % 3];
        unsigned *row = rows[(i + 1) % 3];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < n; j++) {
            char x = g_ascii_tolower(a[i]), y = g_ascii_tolower(b[j]);
            row[j + 1] = MIN(above[j] + (x != y), 1 + MIN(above[j + 1], row[j]));
            if (i > 0 && j > 0 && x == g_ascii_tolower(b[j - 1]) && g_ascii_tolower(a[i - 1]) == y)
                row[j + 1] = MIN(row[j + 1], before[j - 1] + 1);
        }
    }
    return rows[i % 3][n];
}

void xtf_nearest_init(XtfNearest *nearest, const char *word)
{
    size_t length = strlen(word);

    *nearest = (XtfNearest){.word = word};
    if (length <= XTF_NEAREST_WORD_MAX)
        nearest->least = 1 + (unsigned)CLAMP(length / CHARACTERS_PER_ERROR, 1, ERRORS_MAX);
}

void xtf_nearest_finish(XtfNearest *nearest)
{
    g_clear_pointer(&nearest->name, g_free);
}

void xtf_nearest_offer(XtfNearest *nearest, const char *name)
{
    size_t length = strlen(name), of_word = strlen(nearest->word);

    if (length > XTF_NEAREST_WORD_MAX || MAX(length, of_word) - MIN(length, of_word) >= nearest->least)
        return;
    unsigned errors = distance(nearest->word, name);
    if (errors >= nearest->least || errors >= length)
        return;
    g_free(nearest->name);
    nearest->name = g_strdup(name);
    nearest->least = errors;
}
