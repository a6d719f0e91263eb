#include "src/import/chrome/input.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "libxtf/error.h"
#include "libxtf/source.h"

enum { BUFFER_BYTES = 64 << 10 };

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

bool xtf_chrome_input_open(XtfChromeInput *input, const char *path, GError **error)
{
    *input = (XtfChromeInput){.path = path};
    int fd = xtf_file_open(path, &input->size, error);

    if (fd < 0)
        return false;
    input->file = gzdopen(fd, "rb");
    if (!input->file) {
        close(fd);
        return xtf_fail(error, XTF_ERROR_IO, "%s: out of memory", path);
    }
    gzbuffer(input->file, BUFFER_BYTES);
    return true;
}

void xtf_chrome_input_close(XtfChromeInput *input)
{
    if (input->file)
        gzclose(input->file);
    input->file = NULL;
}

static gssize read_bytes(XtfChromeInput *input, void *bytes, gsize size, GError **error)
{
    int n = gzread(input->file, bytes, (unsigned)size), fault = Z_OK;
    const char *message = n <= 0 ? gzerror(input->file, &fault) : NULL;

    if (fault == Z_BUF_ERROR) { /* the packed bytes end early */
        input->cut = true;
        return 0;
    }
    if (n < 0)
        xtf_fail(error, fault == Z_ERRNO ? XTF_ERROR_IO : XTF_ERROR_DAMAGED, "the packed bytes are damaged: %s",
                 message);
    return n;
}

gssize xtf_chrome_input_read(void *data, void *bytes, gsize size, GError **error)
{
    XtfChromeInput *input = data;
    const gsize mark = strlen(BYTE_ORDER_MARK);
    gssize n = read_bytes(input, bytes, size, error);

    if (input->started)
        return n;
    input->started = true;
    if (n < (gssize)mark || memcmp(bytes, BYTE_ORDER_MARK, mark) != 0)
        return n;
    memmove(bytes, (char *)bytes + mark, (gsize)n - mark);
    return n > (gssize)mark ? n - (gssize)mark : read_bytes(input, bytes, size, error);
}

double xtf_chrome_input_share(const XtfChromeInput *input)
{
    z_off_t offset = gzoffset(input->file);

    return input->size > 0 && offset > 0 ? MIN((double)offset / (double)input->size, 1) : 0;
}
