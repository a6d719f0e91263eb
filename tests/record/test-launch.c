/* Tests parts of `xtf record` that can be called separately: file systems, the cache of ldconfig, words for a shell,
 * ranges. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/trace.h"
#include "src/files/shell-word.h"
#include "src/record/launch/folder.h"
#include "src/record/launch/process-table.h"
#include "src/record/launch/program/libraries.h"

enum {
    ROUNDS = 300,
    CHANGES = 40,
};

Test(launch, file_systems_of_many_machines)
{
    static const struct {
        unsigned long number;
        bool shared;
    } systems[] = {
        {NFS_SUPER_MAGIC, true}, {CIFS_SUPER_MAGIC, true},       {SMB2_SUPER_MAGIC, true},
        {AFS_SUPER_MAGIC, true}, {CODA_SUPER_MAGIC, true},       {OCFS2_SUPER_MAGIC, true},
        {V9FS_MAGIC, true},      {CEPH_SUPER_MAGIC, true},       {EXT4_SUPER_MAGIC, false},
        {TMPFS_MAGIC, false},    {XFS_SUPER_MAGIC, false},       {BTRFS_SUPER_MAGIC, false},
        {RAMFS_MAGIC, false},    {OVERLAYFS_SUPER_MAGIC, false}, {F2FS_SUPER_MAGIC, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(systems); i++)
        cr_assert_eq(xtf_shared_file_system(systems[i].number) != NULL, systems[i].shared, "%lx", systems[i].number);
    cr_assert_null(xtf_folder_is_shared("/proc"));
    cr_assert_null(xtf_folder_is_shared("/nowhere"));
}

static void read_cache(char **bytes, gsize *size)
{
    if (!g_file_get_contents("/etc/ld.so.cache", bytes, size, NULL))
        cr_skip_test("there is no /etc/ld.so.cache");
}

/* The cache leads to the library that the dynamic linker has loaded. */
Test(launch, cache_leads_to_loaded_libraries)
{
    g_autofree char *bytes = NULL;
    gsize size;
    Dl_info loaded;
    struct stat cached, in_use;

    read_cache(&bytes, &size);
    cr_assert(dladdr((void *)(uintptr_t)&strtoull, &loaded));
    g_autofree char *name = g_path_get_basename(loaded.dli_fname), *found = xtf_library_in_cache(name, bytes, size);
    cr_assert_not_null(found, "%s", name);
    cr_assert(stat(found, &cached) == 0 && stat(loaded.dli_fname, &in_use) == 0);
    cr_assert(cached.st_ino == in_use.st_ino && cached.st_dev == in_use.st_dev, "%s, %s", found, loaded.dli_fname);
    cr_assert_null(xtf_library_in_cache("libno-such-library.so.1", bytes, size));
    cr_assert_null(xtf_library_in_cache("", bytes, size));
}

Test(launch, damaged_caches_lead_to_existing_files_only)
{
    g_autofree char *bytes = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    gsize size;

    read_cache(&bytes, &size);
    for (int round = 0; round < ROUNDS; round++) {
        gsize length = round % 3 ? size : (gsize)g_rand_int_range(random, 0, (gint32)size);
        g_autofree char *damaged = g_memdup2(bytes, length + 1);
        for (int i = 0; length > 0 && i < CHANGES; i++) /* half of the changes in the head and the first entries */
            damaged[g_rand_int_range(random, 0, (gint32)MIN(length, i % 2 ? length : 64))] =
                (char)g_rand_int_range(random, 0, 256);
        g_autofree char *found = xtf_library_in_cache("libc.so.6", damaged, length);
        if (found)
            cr_assert(g_file_test(found, G_FILE_TEST_EXISTS));
    }
}

Test(launch, quoted_words_survive_a_shell)
{
    static const char *const words[] = {"plain",  "",    "a b", "it's", "$HOME", "`x`", "a\"b",     "*",
                                        "back\\", "~/x", "#c",  "a;b",  "-n",    "{}",  "\xc3\xa4", "x=y"};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autofree char *word = xtf_shell_word(words[i]), *script = g_strdup_printf("printf '[%%s]' %s", word);
        char *argv[] = {(char *)"sh", (char *)"-c", script, NULL};
        g_autofree char *out = NULL, *expected = g_strdup_printf("[%s]", words[i]);
        cr_assert(g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, NULL, NULL));
        cr_assert_str_eq(out, expected);
    }
}

Test(launch, ranges)
{
    static const struct {
        guint n;
        guint32 numbers[6];
        const char *text;
    } cases[] = {
        {0, {0}, ""},
        {1, {7}, "7"},
        {2, {0, 1}, "0-1"},
        {4, {0, 2, 3, 9}, "0,2-3,9"},
        {3, {4294967293, 4294967294, 4294967295}, "4294967293-4294967295"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_vals(numbers, cases[i].numbers, cases[i].n);
        g_autofree char *text = xtf_process_ranges(numbers);
        cr_assert_str_eq(text, cases[i].text);
    }
}

/* A folder for temporary files may exist already, but only if it is this user's alone. */
Test(launch, folders_of_others_are_refused)
{
    g_autofree char *place = g_dir_make_tmp("xtf-test-XXXXXX", NULL), *folder = g_build_filename(place, "xtf-1", NULL),
                    *link = g_build_filename(place, "xtf-2", NULL);
    GError *error = NULL;

    cr_assert(xtf_folder_make(folder, &error));
    cr_assert(xtf_folder_make(folder, &error));
    cr_assert_eq(symlink(folder, link), 0);
    cr_assert_not(xtf_folder_make(link, &error));
    g_clear_error(&error);
    cr_assert_eq(chmod(folder, 0777), 0);
    cr_assert_not(xtf_folder_make(folder, &error));
    g_clear_error(&error);
    cr_assert_eq(chmod(folder, 0700), 0);
    if (geteuid() == 0) {
        cr_assert_eq(chown(folder, 65534, 65534), 0);
        cr_assert_not(xtf_folder_make(folder, &error));
        g_clear_error(&error);
    }
    cr_assert_eq(unlink(link), 0);
    cr_assert_eq(rmdir(folder), 0);
    cr_assert_eq(rmdir(place), 0);
}

Test(launch, folders_of_jobs)
{
    g_autofree char *place = g_dir_make_tmp("xtf-test-XXXXXX", NULL),
                    *folder = g_build_filename(place, "run.xtf.d", NULL);
    g_autofree char *part = g_build_filename(folder, "000000.xtf", NULL);
    GError *error = NULL;

    cr_assert(xtf_folder_join(folder, "pmix-1", false, &error));
    cr_assert(g_file_set_contents(part, "x", 1, NULL));
    cr_assert(xtf_folder_join(folder, "pmix-1", false, &error));
    cr_assert(xtf_folder_join(folder, "pmix-1", true, &error), "a later process of the job");
    cr_assert(g_file_test(part, G_FILE_TEST_EXISTS));
    cr_assert_not(xtf_folder_join(folder, "pmix-2", false, &error));
    g_clear_error(&error);
    cr_assert(g_file_test(part, G_FILE_TEST_EXISTS));
    cr_assert(xtf_folder_join(folder, "hydra-7-1@one", true, &error));
    cr_assert_not(g_file_test(part, G_FILE_TEST_EXISTS));
    cr_assert(xtf_folder_join(folder, "hydra-9-4@other", false, &error), "another host of what may be the same job");
    cr_assert_not(xtf_folder_join(folder, "hydra-8-1@one", false, &error));
    g_clear_error(&error);
    cr_assert(xtf_folder_remove(folder, &error));
    cr_assert_eq(rmdir(place), 0);
}
