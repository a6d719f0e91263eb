#include "src/network/results/header.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"

enum {
    TAG_DIMENSION = 10,
    TAG_VARIABLE = 11,
    TAG_ATTRIBUTE = 12,
    HEADER_MAX = 1 << 20, /* most bytes of a header; network_test's headers are below 2 KiB */
    DIMENSIONS_MAX = 64,  /* most dimensions of a file, and of a variable */
    CLASSIC = 1,
    WIDE_OFFSETS = 2,
    WIDE = 5,
};

typedef struct {
    const uint8_t *at, *end;
    uint8_t version;
    const char *path;
    GError **error;
    uint64_t records;
    uint64_t dimensions[DIMENSIONS_MAX]; /* lengths; 0: the unlimited dimension */
    unsigned n_dimensions;
} Walk;

/* The bytes of a variable in the file. */
typedef struct {
    uint64_t begin, size; /* in bytes; `size` is one record's if the variable grows */
    bool grows;
} Extent;

bool xtf_netcdf_is_classic(const char magic[XTF_NETCDF_MAGIC_SIZE])
{
    return memcmp(magic, "CDF", 3) == 0 && (magic[3] == CLASSIC || magic[3] == WIDE_OFFSETS || magic[3] == WIDE);
}

static bool refuse_cut_header(Walk *walk)
{
    return xtf_damaged(walk->error, "%s: its netCDF header is cut off, or claims more than the file has", walk->path);
}

static bool skip_bytes(Walk *walk, uint64_t bytes)
{
    if (bytes > (uint64_t)(walk->end - walk->at))
        return refuse_cut_header(walk);
    walk->at += bytes;
    return true;
}

/* Reads a big-endian number of `bytes` bytes. */
static bool get_number(Walk *walk, unsigned bytes, uint64_t *number)
{
    const uint8_t *from = walk->at;

    if (!skip_bytes(walk, bytes))
        return false;
    *number = 0;
    for (unsigned i = 0; i < bytes; i++)
        *number = *number << 8 | from[i];
    return true;
}

/* Reads a count, a length, or the number of a dimension. */
static bool get_count(Walk *walk, uint64_t *count)
{
    return get_number(walk, walk->version == WIDE ? 8 : 4, count);
}

/* Skips n items of `width` bytes each, padded to a multiple of 4 bytes. */
static bool skip_items(Walk *walk, uint64_t n, unsigned width)
{
    if (n > (uint64_t)(walk->end - walk->at) / width)
        return refuse_cut_header(walk);
    return skip_bytes(walk, (n * width + 3) / 4 * 4);
}

static bool skip_name(Walk *walk)
{
    uint64_t length;

    return get_count(walk, &length) && skip_items(walk, length, 1);
}

static bool get_type_width(Walk *walk, unsigned *width)
{
    static const uint8_t widths[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t type;

    if (!get_number(walk, 4, &type))
        return false;
    if (type == 0 || type >= G_N_ELEMENTS(widths))
        return xtf_damaged(walk->error, "%s: its netCDF header has the unknown type %" PRIu64, walk->path, type);
    *width = widths[type];
    return true;
}

/* Reads the beginning of a list of dimensions, attributes or variables: its tag, and its number of elements. */
static bool get_list(Walk *walk, unsigned tag, uint64_t *n)
{
    uint64_t list_tag;

    if (!get_number(walk, 4, &list_tag) || !get_count(walk, n))
        return false;
    if (list_tag != tag && (list_tag != 0 || *n != 0))
        return xtf_damaged(walk->error, "%s: its netCDF header has the tag %" PRIu64 " instead of %u", walk->path,
                           list_tag, tag);
    return *n <= (uint64_t)(walk->end - walk->at) || refuse_cut_header(walk);
}

static bool skip_attributes(Walk *walk)
{
    uint64_t n, values;
    unsigned width;

    if (!get_list(walk, TAG_ATTRIBUTE, &n))
        return false;
    for (; n > 0; n--)
        if (!skip_name(walk) || !get_type_width(walk, &width) || !get_count(walk, &values) ||
            !skip_items(walk, values, width))
            return false;
    return true;
}

static bool refuse_dimensions(Walk *walk)
{
    return xtf_fail(walk->error, XTF_ERROR_NOT_XTF,
                    "%s: is netCDF, but no result of network_test: it has too many dimensions", walk->path);
}

static bool get_dimensions(Walk *walk)
{
    uint64_t n;

    if (!get_list(walk, TAG_DIMENSION, &n))
        return false;
    if (n > DIMENSIONS_MAX)
        return refuse_dimensions(walk);
    for (walk->n_dimensions = 0; walk->n_dimensions < n; walk->n_dimensions++)
        if (!skip_name(walk) || !get_count(walk, &walk->dimensions[walk->n_dimensions]))
            return false;
    return true;
}

static bool get_shape(Walk *walk, Extent *extent)
{
    uint64_t n, dimension;

    *extent = (Extent){.size = 1};
    if (!get_count(walk, &n))
        return false;
    if (n > DIMENSIONS_MAX)
        return refuse_dimensions(walk);
    for (uint64_t i = 0; i < n; i++) {
        if (!get_count(walk, &dimension))
            return false;
        if (dimension >= walk->n_dimensions)
            return xtf_damaged(walk->error, "%s: its netCDF header does not define dimension %" PRIu64 " of a variable",
                               walk->path, dimension);
        if (i == 0 && walk->dimensions[dimension] == 0)
            extent->grows = true;
        else if (__builtin_mul_overflow(extent->size, walk->dimensions[dimension], &extent->size))
            return refuse_cut_header(walk);
    }
    return true;
}

static bool get_variable(Walk *walk, Extent *extent)
{
    uint64_t stated;
    unsigned width;

    if (!skip_name(walk) || !get_shape(walk, extent) || !skip_attributes(walk) || !get_type_width(walk, &width) ||
        !get_count(walk, &stated) || !get_number(walk, walk->version == CLASSIC ? 4 : 8, &extent->begin))
        return false;
    return !__builtin_mul_overflow(extent->size, width, &extent->size) || refuse_cut_header(walk);
}

/* True if all variables end inside the file. Reports missing bytes otherwise. */
static bool check_extents(Walk *walk, const GArray *extents, uint64_t size)
{
    uint64_t record = 0, end = 0;
    unsigned n_growing = 0;

    for (unsigned i = 0; i < extents->len; i++) {
        const Extent *extent = &g_array_index(extents, Extent, i);
        if (extent->size > size || extent->begin > size)
            end = UINT64_MAX;
        else if (extent->grows) {
            record += (extent->size + 3) / 4 * 4;
            n_growing++;
        }
    }
    for (unsigned i = 0; i < extents->len && end < UINT64_MAX; i++) {
        const Extent *extent = &g_array_index(extents, Extent, i);
        uint64_t before = 0, step = n_growing == 1 ? extent->size : record;
        if (extent->grows && (walk->records == 0 || __builtin_mul_overflow(walk->records - 1, step, &before)))
            before = walk->records == 0 ? 0 : UINT64_MAX / 2;
        if (!extent->grows || walk->records > 0)
            end = MAX(end, extent->begin + before + extent->size);
    }
    if (end <= size)
        return true;
    if (end == UINT64_MAX || end > UINT64_MAX / 4)
        return xtf_damaged(walk->error,
                           "%s: is cut short, or its header is wrong: it has %" PRIu64 " bytes, and claims more",
                           walk->path, size);
    return xtf_damaged(walk->error, "%s: is cut short: it has %" PRIu64 " of %" PRIu64 " bytes", walk->path, size, end);
}

static bool walk_header(Walk *walk, uint64_t size)
{
    g_autoptr(GArray) extents = g_array_new(FALSE, FALSE, sizeof(Extent));
    uint64_t n;

    if (!skip_bytes(walk, XTF_NETCDF_MAGIC_SIZE) || !get_count(walk, &walk->records) || !get_dimensions(walk) ||
        !skip_attributes(walk) || !get_list(walk, TAG_VARIABLE, &n))
        return false;
    if (walk->records == (walk->version == WIDE ? UINT64_MAX : UINT32_MAX))
        return xtf_damaged(walk->error, "%s: does not state its number of matrices: its writer did not finish",
                           walk->path);
    for (; n > 0; n--) {
        Extent extent;
        if (!get_variable(walk, &extent))
            return false;
        g_array_append_val(extents, extent);
    }
    return check_extents(walk, extents, size);
}

/* Reads the beginning of a file. Returns the number of bytes, less at the end of the file; -1 with errno. */
static ssize_t read_start(int fd, uint8_t *start, size_t length)
{
    size_t at = 0;

    while (at < length) {
        ssize_t n = pread(fd, start + at, length - at, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        at += (size_t)n;
    }
    return (ssize_t)at;
}

bool xtf_netcdf_check_header(int fd, uint64_t size, const char *path, GError **error)
{
    size_t length = MIN(size, HEADER_MAX);
    g_autofree uint8_t *start = g_malloc(MAX(length, XTF_NETCDF_MAGIC_SIZE));
    ssize_t got = read_start(fd, start, length);

    if (got < 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot read: %s", path, g_strerror(errno));
    if (got < XTF_NETCDF_MAGIC_SIZE || !xtf_netcdf_is_classic((const char *)start))
        return xtf_fail(error, XTF_ERROR_NOT_XTF,
                        "%s: is not netCDF in a classic format ('nccopy -k classic' converts netCDF-4)", path);
    Walk walk = {.at = start, .end = start + got, .version = start[3], .path = path, .error = error};
    return walk_header(&walk, size);
}
