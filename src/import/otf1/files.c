#include "src/import/otf1/files.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"
#include "src/files/head.h"

enum {
    DETECTED_BYTES = 4096,
};

/* Reads a hexadecimal number of at most 32 bits, as OTF writes it. Moves *at behind it. */
static bool read_hex(const char **at, uint32_t *number)
{
    const char *start = *at;
    uint64_t value = 0;

    for (; g_ascii_isxdigit(**at) && !g_ascii_isupper(**at) && value <= UINT32_MAX; (*at)++)
        value = value << 4 | (unsigned)g_ascii_xdigit_value(**at);
    *number = (uint32_t)value;
    return *at > start && value <= UINT32_MAX;
}

/* Reads a line of a master file, STREAM:PROCESS,PROCESS... Adds its entries to `entries`, unless that is NULL. Moves
 * *at to the line's end. */
static bool read_line(const char **at, GArray *entries)
{
    XtfOtf1Entry entry;

    if (!read_hex(at, &entry.stream) || **at != ':')
        return false;
    do {
        (*at)++;
        if (!read_hex(at, &entry.process))
            return false;
        if (entries)
            g_array_append_val(entries, entry);
    } while (**at == ',');
    return true;
}

bool xtf_otf1_is_master(const char *path)
{
    char start[DETECTED_BYTES + 1] = "";
    const char *at = start;
    ssize_t n = xtf_file_read_head(path, start, DETECTED_BYTES, NULL);

    while (n > 0 && read_line(&at, NULL) && *at == '\n') {
        if (*++at == '\0')
            return at == start + n;
    }
    return n == DETECTED_BYTES && at == start + n; /* the bytes end within a line */
}

GArray *xtf_otf1_read_master(const char *path, GError **error)
{
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Entry));
    g_autofree char *content = NULL;
    const char *at;
    gsize length;

    if (!g_file_get_contents(path, &content, &length, NULL)) {
        xtf_fail(error, XTF_ERROR_IO, "%s: cannot be read", path);
        return NULL;
    }
    at = content;
    for (unsigned line = 1; at < content + length; line++) {
        if (*at != '\n' && !(read_line(&at, entries) && *at == '\n')) {
            xtf_fail(error, XTF_ERROR_DAMAGED, "%s: line %u is not STREAM:PROCESS,..., in hexadecimal numbers", path,
                     line);
            return NULL;
        }
        at++;
    }
    return g_steal_pointer(&entries);
}

char *xtf_otf1_stem(const char *master)
{
    size_t length = strlen(master) - (g_str_has_suffix(master, XTF_OTF1_ENDING) ? strlen(XTF_OTF1_ENDING) : 0);
    return g_strndup(master, length);
}

/* Returns a path without the last ending of its name; NULL: the name has none. */
static char *remove_ending(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');

    return dot ? g_strndup(path, (gsize)(dot - path)) : NULL;
}

/* Looks for the master file NAME.otf next to NAME.1.events, NAME.0.def.z ... */
char *xtf_otf1_advice(const char *path)
{
    static const char *const endings[] = {".def", ".events", ".snaps", ".stats", ".marker"};
    g_autofree char *plain = g_str_has_suffix(path, ".z") ? remove_ending(path) : g_strdup(path);

    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *outer = g_str_has_suffix(plain, endings[i]) ? remove_ending(plain) : NULL;
        g_autofree char *stem = outer ? remove_ending(outer) : NULL;
        g_autofree char *master = stem ? g_strconcat(stem, XTF_OTF1_ENDING, NULL) : NULL;
        if (master && xtf_otf1_is_master(master))
            return g_strdup_printf("it is a file of the archive with the master file '%s'", master);
    }
    return NULL;
}

GPtrArray *xtf_otf1_files(const char *master)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(master);
    g_autofree char *stem = xtf_otf1_stem(master);
    g_autofree char *name = g_path_get_basename(stem);
    g_autofree char *prefix = g_strconcat(name, ".", NULL);
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    const char *entry;

    while (listing && (entry = g_dir_read_name(listing)))
        if (g_str_has_prefix(entry, prefix))
            g_ptr_array_add(files, g_build_filename(folder, entry, NULL));
    return files;
}

char *xtf_otf1_stream_file(const char *stem, uint32_t stream, const char *ending, GError **error)
{
    static const char *const compressions[] = {"", ".z"}; /* the library's order */
    struct stat info;

    for (size_t i = 0; i < G_N_ELEMENTS(compressions); i++) {
        g_autofree char *path = g_strdup_printf("%s.%" PRIx32 ".%s%s", stem, stream, ending, compressions[i]);
        if (stat(path, &info) != 0)
            continue;
        if (S_ISREG(info.st_mode))
            return g_steal_pointer(&path);
        xtf_fail(error, XTF_ERROR_IO, "%s: is no regular file", path);
        return NULL;
    }
    return NULL;
}
