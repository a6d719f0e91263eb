/* The hash of strings, against strings that collide by the hash of GLib. */
#include <criterion/criterion.h>
#include <glib.h>

#include "libxtf/base/string-hash.h"

static unsigned comparisons;

static gboolean counted_equal(gconstpointer a, gconstpointer b)
{
    comparisons++;
    return g_str_equal(a, b);
}

/* String i of 2^BLOCKS strings: "aB" and "b!" have the same g_str_hash(), and so have all sequences of such pairs. */
enum { BLOCKS = 11, STRINGS = 1 << BLOCKS };

static char *colliding_string(unsigned i)
{
    GString *text = g_string_new(NULL);

    for (unsigned block = 0; block < BLOCKS; block++)
        g_string_append(text, i >> block & 1 ? "aB" : "b!");
    return g_string_free(text, FALSE);
}

static unsigned comparisons_of(GHashFunc hash)
{
    g_autoptr(GHashTable) table = g_hash_table_new_full(hash, counted_equal, g_free, NULL);

    comparisons = 0;
    for (unsigned i = 0; i < STRINGS; i++)
        g_hash_table_add(table, colliding_string(i));
    cr_assert_eq(g_hash_table_size(table), STRINGS);
    return comparisons;
}

Test(string_hash, crafted_strings_do_not_collide)
{
    cr_assert_gt(comparisons_of(g_str_hash), STRINGS * (STRINGS / 4), "the strings do not collide by GLib's hash");
    cr_assert_lt(comparisons_of(xtf_string_hash), STRINGS / 16);
}

Test(string_hash, every_byte_counts)
{
    char text[33];

    for (unsigned length = 0; length < sizeof text - 1; length++) {
        memset(text, 'x', sizeof text);
        text[length] = '\0';
        g_autofree char *same = g_strdup(text);
        guint hash = xtf_string_hash(text);
        cr_assert_eq(xtf_string_hash(same), hash);
        for (unsigned i = 0; i < length; i++) {
            text[i] = 'y';
            cr_assert_neq(xtf_string_hash(text), hash); /* wrong once in 4 * 10^9 */
            text[i] = 'x';
        }
    }
}
