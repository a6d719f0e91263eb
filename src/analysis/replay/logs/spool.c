#include "src/analysis/replay/logs/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"
#include "libxtf/error.h"

static bool fail_with_errno(GError **error, const char *participle)
{
    int reason = errno;
    return xtf_fail(error, XTF_ERROR_IO, "a temporary file in '%s' cannot be %s: %s", g_get_tmp_dir(), participle,
                    g_strerror(reason));
}

bool xtf_spool_open(XtfSpool *spool, GError **error)
{
    spool->end = 0;
    spool->fd = xtf_nameless_file(NULL, error);
    return spool->fd >= 0;
}

void xtf_spool_close(XtfSpool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

uint64_t xtf_spool_allot(XtfSpool *spool, uint64_t bytes)
{
    return __atomic_fetch_add(&spool->end, bytes, __ATOMIC_RELAXED);
}

uint64_t xtf_spool_allot_aligned(XtfSpool *spool, uint64_t bytes)
{
    uint64_t alignment = bytes & (0 - bytes), end = __atomic_load_n(&spool->end, __ATOMIC_RELAXED), at;

    do
        at = end + (0 - end) % alignment;
    while (!__atomic_compare_exchange_n(&spool->end, &end, at + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return at;
}

bool xtf_spool_put(const XtfSpool *spool, uint64_t at, const void *bytes, size_t n, GError **error)
{
    const char *from = bytes;

    while (n > 0) {
        ssize_t done = pwrite(spool->fd, from, n, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_with_errno(error, "written");
        from += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}

bool xtf_spool_get(const XtfSpool *spool, uint64_t at, void *bytes, size_t n, GError **error)
{
    char *to = bytes;

    while (n > 0) {
        ssize_t done = pread(spool->fd, to, n, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_with_errno(error, "read");
        if (done == 0) {
            memset(to, 0, n);
            return true;
        }
        to += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}
