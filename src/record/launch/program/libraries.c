#include "src/record/launch/program/libraries.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define CACHE_FILE "/etc/ld.so.cache"
#define CACHE_HEAD "glibc-ld.so.cache1.1"

/* Head of the linker's cache, in the format of glibc since 2.2: the head, n_libraries entries, strings. Offsets count
 * from the head. A cache of an older format may precede it; glibc 2.32 dropped that. */
typedef struct {
    char magic[20];
    uint32_t n_libraries, strings_size;
    uint32_t unused[5];
} CacheHead;

typedef struct {
    int32_t flags;
    uint32_t name, path;
    uint32_t os_version;
    uint64_t hardware;
} CacheEntry;

_Static_assert(sizeof(CacheHead) == 48 && sizeof(CacheEntry) == 24, "as ldconfig writes them");

/* Returns a text of the cache; NULL if it does not end within the cache. */
static const char *cached_text(const uint8_t *bytes, gsize size, uint32_t offset)
{
    return offset < size && memchr(bytes + offset, '\0', size - offset) ? (const char *)bytes + offset : NULL;
}

/* True if a file is for this machine: the cache also lists libraries of other architectures. */
static bool is_own(const char *path)
{
    g_auto(XtfElf) elf = {0};
    bool is_elf;

    return xtf_elf_read(path, &is_elf, &elf, NULL) && is_elf && !elf.foreign;
}

char *xtf_library_in_cache(const char *name, const void *bytes, gsize size)
{
    const uint8_t *start = memmem(bytes, size, CACHE_HEAD, strlen(CACHE_HEAD));
    CacheHead head;

    if (!start)
        return NULL;
    size -= (gsize)(start - (const uint8_t *)bytes);
    if (size < sizeof head)
        return NULL;
    memcpy(&head, start, sizeof head);
    for (uint64_t i = 0; i < head.n_libraries && (i + 1) * sizeof(CacheEntry) <= size - sizeof head; i++) {
        CacheEntry entry;
        memcpy(&entry, start + sizeof head + i * sizeof entry, sizeof entry);
        const char *cached = cached_text(start, size, entry.name), *path = cached_text(start, size, entry.path);
        if (cached && path && g_str_equal(cached, name) && is_own(path))
            return g_strdup(path);
    }
    return NULL;
}

static char *find_in_cache(const char *name)
{
    g_autoptr(GMappedFile) cache = g_mapped_file_new(CACHE_FILE, FALSE, NULL);

    return cache ? xtf_library_in_cache(name, g_mapped_file_get_contents(cache), g_mapped_file_get_length(cache))
                 : NULL;
}

/* Returns the dynamic linker's replacement of $LIB, "lib64" or "lib/x86_64-linux-gnu": glibc's own folder, below the
 * root or /usr. NULL if unknown. The caller frees it. */
static char *system_folder(void)
{
    Dl_info libc;

    if (!dladdr((void *)(uintptr_t)&getauxval, &libc) || libc.dli_fname[0] != '/')
        return NULL;
    g_autofree char *folder = g_path_get_dirname(libc.dli_fname);
    return g_strdup(folder + (g_str_has_prefix(folder, "/usr/") ? strlen("/usr/") : 1));
}

/* Returns the dynamic linker's replacement of $PLATFORM. On some processors glibc prefers a name of its own, "haswell",
 * to the kernel's "x86_64". Only the linker's diagnostics show that name, from glibc 2.33 on; without them, returns the
 * kernel's name. The caller frees the string. */
static char *platform_name(void)
{
    static const char key[] = "\ndl_platform=\"";
    g_autofree char *output = NULL;
    Dl_info linker;

    if (dladdr((void *)getauxval(AT_BASE), &linker) && linker.dli_fname[0] == '/') {
        char *argv[] = {(char *)linker.dli_fname, "--list-diagnostics", NULL};
        g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, NULL, NULL);
    }
    const char *value = output ? strstr(output, key) : NULL;
    if (value) {
        value += strlen(key);
        return g_strndup(value, strcspn(value, "\"\n"));
    }
    return g_strdup((const char *)getauxval(AT_PLATFORM));
}

static void expand_variable(GString *path, const char *name, const char *value)
{
    g_autofree char *plain = g_strconcat("$", name, NULL), *braced = g_strconcat("${", name, "}", NULL);

    if (!value)
        return;
    g_string_replace(path, braced, value, 0);
    g_string_replace(path, plain, value, 0);
}

char *xtf_library_expand(const char *path, const char *of)
{
    g_autofree char *origin = g_path_get_dirname(of), *lib = system_folder();
    g_autofree char *platform = strstr(path, "PLATFORM") ? platform_name() : NULL;
    g_autoptr(GString) text = g_string_new(path);

    expand_variable(text, "ORIGIN", origin);
    expand_variable(text, "LIB", lib);
    expand_variable(text, "PLATFORM", platform);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *find_in_path(const char *name, const char *path)
{
    g_auto(GStrv) folders = g_strsplit_set(path, ":;", -1);

    for (char **folder = folders; *folder; folder++) {
        g_autofree char *file = g_build_filename(**folder ? *folder : ".", name, NULL);
        if (g_file_test(file, G_FILE_TEST_IS_REGULAR) && is_own(file))
            return g_steal_pointer(&file);
    }
    return NULL;
}

char *xtf_library_find(const char *name, const char *of, const XtfElf *elf, const char *inherited)
{
    const char *environment = g_getenv("LD_LIBRARY_PATH");
    g_autofree char *own = elf->path ? xtf_library_expand(elf->path, of) : NULL;
    char *file_path = NULL;

    if (strchr(name, '/'))
        return g_file_test(name, G_FILE_TEST_IS_REGULAR) ? g_strdup(name) : NULL;
    if (own && elf->old_path)
        file_path = find_in_path(name, own);
    if (!file_path && inherited && (!own || elf->old_path)) /* a DT_RUNPATH disables inherited paths */
        file_path = find_in_path(name, inherited);
    if (!file_path && environment && *environment)
        file_path = find_in_path(name, environment);
    if (!file_path && own && !elf->old_path)
        file_path = find_in_path(name, own);
    if (!file_path)
        file_path = find_in_cache(name);
    return file_path ? file_path : find_in_path(name, "/lib64:/usr/lib64:/lib:/usr/lib");
}
