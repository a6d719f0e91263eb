#include "src/export/cube/tar.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { BLOCK = 512 };

typedef struct {
    char name[100], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type, link[100], magic[6], version[2],
        user[32], group[32], major[8], minor[8], prefix[155], padding[12];
} Header;
_Static_assert(sizeof(Header) == BLOCK, "a block");

bool xtf_tar_write(FILE *file, const void *data, size_t size, GError **error)
{
    return size == 0 || fwrite(data, 1, size, file) == size ||
           xtf_fail(error, XTF_ERROR_IO, "cannot write: %s", g_strerror(errno));
}

/* Sets the size in octal digits. From 8 GiB on, sets a number in base 256 that begins with the bit 0x80, as GNU tar and
 * others do. */
static void set_size(Header *header, uint64_t size)
{
    if (size >> 33 == 0) {
        g_snprintf(header->size, sizeof header->size, "%011" PRIo64, size);
        return;
    }
    header->size[0] = (char)0x80;
    for (unsigned i = 0; i < 8; i++)
        header->size[11 - i] = (char)(size >> (8 * i));
}

bool xtf_tar_begin(FILE *file, const char *name, uint64_t size, GError **error)
{
    Header header = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    unsigned sum = 0;

    g_strlcpy(header.name, name, sizeof header.name);
    strcpy(header.mode, "0000600");
    strcpy(header.uid, "0000000");
    strcpy(header.gid, "0000000");
    strcpy(header.time, "00000000000");
    set_size(&header, size);
    memset(header.checksum, ' ', sizeof header.checksum);
    for (size_t i = 0; i < sizeof header; i++)
        sum += ((const unsigned char *)&header)[i];
    g_snprintf(header.checksum, sizeof header.checksum, "%06o", sum);
    return xtf_tar_write(file, &header, sizeof header, error);
}

bool xtf_tar_end(FILE *file, uint64_t size, GError **error)
{
    static const char zeros[BLOCK];
    return size % BLOCK == 0 || xtf_tar_write(file, zeros, BLOCK - size % BLOCK, error);
}

bool xtf_tar_close(FILE *file, GError **error)
{
    static const char zeros[2 * BLOCK];
    return xtf_tar_write(file, zeros, sizeof zeros, error);
}

bool xtf_tar_begins_with(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    Header header;

    if (!file)
        return false;
    bool whole = fread(&header, 1, sizeof header, file) == sizeof header;
    fclose(file);
    return whole && memcmp(header.magic, "ustar", sizeof "ustar" - 1) == 0 &&
           strncmp(header.name, name, sizeof header.name) == 0;
}
