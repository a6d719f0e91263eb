#include "src/files/head.h"

#include <errno.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "libxtf/source.h"

ssize_t xtf_file_read_head(const char *path, void *bytes, size_t size, GError **error)
{
    uint64_t file_size;
    size_t have = 0;
    ssize_t n = 1;
    int fd = xtf_file_open(path, &file_size, error);

    if (fd < 0)
        return -1;
    while (have < size && n > 0) {
        n = read(fd, (char *)bytes + have, size - have);
        have += (size_t)MAX(n, 0);
    }
    if (n < 0)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    close(fd);
    return n < 0 ? -1 : (ssize_t)have;
}

bool xtf_file_add_head(GChecksum *checksum, const char *path, size_t size, GError **error)
{
    g_autofree guchar *bytes = g_malloc(size);
    ssize_t n = xtf_file_read_head(path, bytes, size, error);

    if (n >= 0)
        g_checksum_update(checksum, bytes, n);
    return n >= 0;
}

char *xtf_file_hash_head(const char *path, size_t size, GError **error)
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);

    return xtf_file_add_head(checksum, path, size, error) ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}
