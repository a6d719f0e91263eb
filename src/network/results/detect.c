/*
 * Detects result files, and names the files of one result. Works without libnetcdf.
 */
#include <string.h>
#include <unistd.h>

#include "libxtf/source.h"
#include "src/network/results/file.h"
#include "src/network/results/header.h"
#include "src/network/results/network.h"

const char *const xtf_network_values[] = {"average", "median", "deviation", "min", "amount", "repeat", NULL};

/* File name endings, indexed by XtfNetworkValue. */
static const char *const endings[XTF_N_NETWORK_VALUES] = {
    "_average.nc", "_median.nc", "_deviation.nc", "_min.nc", "_measurements_amount.nc", "_all.nc",
};

bool xtf_network_detect(const char *path)
{
    char magic[XTF_NETCDF_MAGIC_SIZE];
    uint64_t size;
    int fd = xtf_file_open(path, &size, NULL);
    bool classic = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && xtf_netcdf_is_classic(magic);

    if (fd >= 0)
        close(fd);
    return classic;
}

char *xtf_network_sibling(const char *path, const char *ending, const char *other_ending)
{
    if (!g_str_has_suffix(path, ending))
        return NULL;
    g_autofree char *stem = g_strndup(path, strlen(path) - strlen(ending));
    return g_strconcat(stem, other_ending, NULL);
}

/* Returns the path without the ending that names the values, or NULL if it has no such ending. The caller frees it. */
static char *stem_of(const char *path)
{
    char *stem = NULL;

    for (unsigned i = 0; i < XTF_N_NETWORK_VALUES && !stem; i++)
        stem = xtf_network_sibling(path, endings[i], "");
    return stem;
}

char *xtf_network_file_of(const char *path, XtfNetworkValue value)
{
    g_autofree char *stem = stem_of(path);

    return stem ? g_strconcat(stem, endings[value], NULL) : NULL;
}

char *xtf_network_hosts_of(const char *path)
{
    g_autofree char *stem = stem_of(path);

    if (!stem && !(stem = xtf_network_sibling(path, ".nc", "")))
        stem = g_strdup(path);
    return g_strconcat(stem, "_hosts.txt", NULL);
}

static void add_existing(GPtrArray *files, char *path)
{
    if (path && g_file_test(path, G_FILE_TEST_EXISTS) &&
        !g_ptr_array_find_with_equal_func(files, path, g_str_equal, NULL))
        g_ptr_array_add(files, path);
    else
        g_free(path);
}

GPtrArray *xtf_network_files(const char *path)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(files, g_strdup(path));
    for (unsigned i = 0; i < XTF_N_NETWORK_VALUES; i++)
        add_existing(files, xtf_network_file_of(path, i));
    add_existing(files, xtf_network_hosts_of(path));
    add_existing(files, xtf_network_sibling(path, XTF_NETWORK_INFO_ENDING, XTF_NETWORK_DATA_ENDING));
    add_existing(files, xtf_network_sibling(path, XTF_NETWORK_DATA_ENDING, XTF_NETWORK_INFO_ENDING));
    return files;
}
