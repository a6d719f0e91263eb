#include "src/export/ti/rank-file.h"

#include <errno.h>
#include <inttypes.h>

#include "libxtf/error.h"

enum {
    BUFFER = 1 << 16,
    LINE_MAX_BYTES = 128,
    /* Numbers of types in the format. */
    TYPE_DOUBLE = '0',
    TYPE_BYTE = '6',
};

char *xtf_ti_file_name(uint32_t rank)
{
    return g_strdup_printf("rank-%" PRIu32 ".ti", rank);
}

bool xtf_ti_file_open(XtfTiFile *file, const char *folder, const char *shown_folder, uint32_t rank, GError **error)
{
    g_autofree char *name = xtf_ti_file_name(rank), *path = g_build_filename(folder, name, NULL);

    *file = (XtfTiFile){.file = fopen(path, "we"), .rank = rank};
    file->name = g_build_filename(shown_folder, name, NULL);
    if (!file->file) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", file->name, g_strerror(errno));
        g_clear_pointer(&file->name, g_free);
        return false;
    }
    setvbuf(file->file, NULL, _IOFBF, BUFFER);
    file->call = g_array_new(FALSE, FALSE, sizeof(XtfTiAction));
    fprintf(file->file, "%" PRIu32 " init\n", rank);
    return true;
}

static void write_computing(XtfTiFile *file)
{
    if (file->computed > file->written)
        fprintf(file->file, "%" PRIu32 " compute %" PRIu64 "\n", file->rank, file->computed - file->written);
    file->written = MAX(file->written, file->computed);
}

bool xtf_ti_file_close(XtfTiFile *file, GError **error)
{
    if (!file->file)
        return true;
    xtf_ti_file_end_call(file);
    write_computing(file);
    fprintf(file->file, "%" PRIu32 " finalize\n", file->rank);
    bool good = !ferror(file->file);
    good = fclose(file->file) == 0 && good;
    file->file = NULL;
    g_array_unref(file->call);
    if (!good)
        xtf_fail(error, XTF_ERROR_IO, "%s: cannot write: %s", file->name, g_strerror(errno ? errno : EIO));
    g_clear_pointer(&file->name, g_free);
    return good;
}

void xtf_ti_append_size(GString *line, uint64_t bytes, char *type)
{
    const uint64_t doubles = MIN(bytes / sizeof(double) + (bytes % sizeof(double) > 0), INT32_MAX);

    *type = bytes <= INT32_MAX ? TYPE_BYTE : TYPE_DOUBLE;
    g_string_append_printf(line, " %" PRIu64, bytes <= INT32_MAX ? bytes : doubles);
}

static void write_wait(XtfTiFile *file, bool of_send, const XtfTiAction *action)
{
    fprintf(file->file, "%" PRIu32 " wait %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", file->rank,
            of_send ? file->rank : action->peer, of_send ? action->peer : file->rank, action->tag);
}

static void write_message(XtfTiFile *file, const char *name, const XtfTiAction *action)
{
    g_autoptr(GString) line = g_string_sized_new(LINE_MAX_BYTES);
    char type;

    g_string_append_printf(line, "%" PRIu32 " %s %" PRIu32 " %" PRIu32, file->rank, name, action->peer, action->tag);
    xtf_ti_append_size(line, action->bytes, &type);
    g_string_append_printf(line, " %c\n", type);
    fwrite(line->str, 1, line->len, file->file);
}

static void write_action(XtfTiFile *file, const XtfTiAction *action)
{
    static const char *const names[] = {
        [XTF_TI_SEND] = "send", [XTF_TI_ISEND] = "isend", [XTF_TI_RECV] = "recv", [XTF_TI_IRECV] = "irecv"};

    if (action->kind == XTF_TI_WAIT_SEND || action->kind == XTF_TI_WAIT_RECV)
        write_wait(file, action->kind == XTF_TI_WAIT_SEND, action);
    else
        write_message(file, names[action->kind], action);
}

/* ---- Calls. */

static guint count_kind(const XtfTiFile *file, XtfTiKind kind)
{
    guint n = 0;

    for (guint i = 0; i < file->call->len; i++)
        n += g_array_index(file->call, XtfTiAction, i).kind == kind;
    return n;
}

/* Writes the actions of a kind as the non-blocking ones of another kind. */
static void begin_messages(XtfTiFile *file, XtfTiKind kind, const char *name)
{
    for (guint i = 0; i < file->call->len; i++)
        if (g_array_index(file->call, XtfTiAction, i).kind == kind)
            write_message(file, name, &g_array_index(file->call, XtfTiAction, i));
}

static void wait_for_messages(XtfTiFile *file, XtfTiKind kind)
{
    for (guint i = 0; i < file->call->len; i++)
        if (g_array_index(file->call, XtfTiAction, i).kind == kind)
            write_wait(file, kind == XTF_TI_SEND, &g_array_index(file->call, XtfTiAction, i));
}

/* Writes a call that sends and receives: all messages are under way before it waits for one. */
static void write_exchange(XtfTiFile *file)
{
    begin_messages(file, XTF_TI_RECV, "irecv");
    begin_messages(file, XTF_TI_SEND, "isend");
    for (guint i = 0; i < file->call->len; i++) {
        const XtfTiAction *action = &g_array_index(file->call, XtfTiAction, i);
        if (action->kind != XTF_TI_SEND && action->kind != XTF_TI_RECV)
            write_action(file, action);
    }
    wait_for_messages(file, XTF_TI_RECV);
    wait_for_messages(file, XTF_TI_SEND);
}

void xtf_ti_file_add(XtfTiFile *file, const XtfTiAction *action)
{
    g_array_append_vals(file->call, action, 1);
}

void xtf_ti_file_end_call(XtfTiFile *file)
{
    if (file->call->len == 0)
        return;
    write_computing(file);
    if (count_kind(file, XTF_TI_SEND) > 0 && count_kind(file, XTF_TI_RECV) > 0)
        write_exchange(file);
    else
        for (guint i = 0; i < file->call->len; i++)
            write_action(file, &g_array_index(file->call, XtfTiAction, i));
    g_array_set_size(file->call, 0);
}

void xtf_ti_file_put(XtfTiFile *file, const char *text)
{
    xtf_ti_file_end_call(file);
    write_computing(file);
    fprintf(file->file, "%" PRIu32 " %s\n", file->rank, text);
}
