/*
 * Writes traces with several commits, and judges states of traces after a power cut.
 *
 *     states write FILE each|late COMMITS [VOLUME]   syncs each commit, or each third one; begins a volume in place of
 *                                                    each commit whose number VOLUME divides
 *
 *     states judge open|read|older|resume PATH...    judges files
 *
 * judge prints a line for each path: path, commit, 1 if the file is closed, digest of all rows and strings. The last
 * word is the first problem that the checker found. If the file cannot be read, the line has the path, "!" and the
 * error.
 *
 * With `open` it only opens the file. With `older` it judges the commit before the newest one. With `resume` a writer
 * also opens and closes each file without problems, and must not change the digest.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/check.h"
#include "libxtf/xtf.h"
#include "tests/torture/all-rows.h"

enum { LOCATIONS = 3, ROWS = 60, LATE = 3 };

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "value", .type = XTF_TYPE_U32},
    {.name = "text", .type = XTF_TYPE_STRING},
    {0},
};

typedef struct {
    XtfWriter *writer;
    const XtfSchema *schema;
    uint32_t id;
    bool syncs_late;
    const char *path;
    unsigned volume; /* commits of a volume; 0: all */
} Writing;

static void must(bool good, const GError *error)
{
    if (good)
        return;
    fprintf(stderr, "states: %s\n", error ? error->message : "failed");
    exit(1);
}

static void append_rows(Writing *writing, uint64_t location, uint64_t round)
{
    const XtfField *fields = writing->schema->fields;
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writing->writer, location, writing->id, &error);
    uint8_t row[XTF_ROW_MAX];

    must(array != NULL, error);
    for (unsigned i = 0; i < ROWS; i++) {
        g_autofree char *text = g_strdup_printf("text %u of %u", i % 7, (unsigned)round);
        uint32_t string;
        must(xtf_writer_add_string(writing->writer, text, &string, &error), error);
        xtf_field_set(&fields[0], row, 1000 * round + i);
        xtf_field_set(&fields[1], row, xtf_array_writer_n_rows(array));
        xtf_field_set(&fields[2], row, (uint32_t)(round * ROWS + i) * 2654435761u);
        xtf_field_set(&fields[3], row, string);
        must(xtf_array_writer_append(array, row, &error), error);
    }
}

static void begin_volume(const Writing *writing)
{
    GError *error = NULL;
    g_autofree char *folder = g_path_get_dirname(writing->path), *name = g_path_get_basename(writing->path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    must(descriptor >= 0 && xtf_writer_begin_volume(writing->writer, descriptor, name, &error), error);
    close(descriptor);
}

static void commit_round(Writing *writing, unsigned round)
{
    GError *error = NULL;

    for (uint64_t location = 0; location < LOCATIONS; location++)
        append_rows(writing, location, round);
    if (writing->volume > 0 && round % writing->volume == writing->volume - 1) {
        begin_volume(writing);
        return;
    }
    must(xtf_writer_commit(writing->writer, &error), error);
    if (writing->syncs_late && round % LATE == 0) {
        must(xtf_writer_sync(writing->writer, &error), error);
        xtf_writer_keep_synced(writing->writer);
    }
}

/* Writes the first half of the commits in one epoch, and the second half in another. */
static void write_trace(const char *path, bool syncs_late, unsigned commits, unsigned volume)
{
    const XtfWriterOptions options = {.late_sync = syncs_late, .keep_commits = 2, .keep_seconds = -1};
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("calls", XTF_SCHEMA_RECORD, call_fields, &error);
    Writing writing = {.schema = schema, .syncs_late = syncs_late, .path = path, .volume = volume};

    must(schema != NULL, error);
    for (unsigned round = 0; round < commits; round++) {
        if (round == 0)
            writing.writer = xtf_writer_create(path, &options, &error);
        else if (round == commits / 2) {
            must(xtf_writer_close(writing.writer, &error), error);
            writing.writer = xtf_writer_open(path, &options, &error);
        }
        must(writing.writer && xtf_writer_add_schema(writing.writer, schema, &writing.id, &error), error);
        commit_round(&writing, round);
    }
    must(xtf_writer_close(writing.writer, &error), error);
    xtf_schema_free(schema);
}

/* ---- Judging. */

static void add_to_sum(void *data, const void *bytes, size_t n)
{
    g_checksum_update(data, bytes, (gssize)n);
}

/* Computes a digest of all rows and their texts. */
static bool digest_trace(XtfTrace *trace, char **digest, GError **error)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    bool good = all_rows_visit(trace, add_to_sum, sum, error);

    *digest = good ? g_strndup(g_checksum_get_string(sum), 16) : NULL;
    return good;
}

typedef struct {
    XtfTraceInfo info;
    char *digest, *problem;
} Judgement;

static void clear_judgement(Judgement *judgement)
{
    g_free(judgement->digest);
    g_free(judgement->problem);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judgement, clear_judgement)

static void keep_first(const char *message, void *data)
{
    char **problem = data;

    if (!*problem)
        *problem = g_strdup(message);
}

static bool can_open(const char *path, Judgement *judgement, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (trace)
        xtf_trace_get_info(trace, &judgement->info);
    judgement->digest = g_strdup("");
    return trace != NULL;
}

static bool judge_commit(const char *path, bool older, Judgement *judgement, GError **error)
{
    const XtfOpenOptions options = {.older_commit = older};
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, &options, error);
    XtfCheckReport report;

    if (!trace || !xtf_trace_check(trace, keep_first, NULL, &judgement->problem, &report, error))
        return false;
    xtf_trace_get_info(trace, &judgement->info);
    return digest_trace(trace, &judgement->digest, error);
}

static bool judge_state(const char *path, Judgement *judgement, GError **error)
{
    return judge_commit(path, false, judgement, error);
}

static bool judge_older(const char *path, Judgement *judgement, GError **error)
{
    return judge_commit(path, true, judgement, error);
}

/* Lets a writer open and close the file. */
static bool resume_file(const char *path, const char *digest, GError **error)
{
    XtfWriter *writer = xtf_writer_open(path, &(XtfWriterOptions){.no_sync = true}, error);
    g_auto(Judgement) after = {0};

    if (!writer || !xtf_writer_close(writer, error) || !judge_state(path, &after, error))
        return false;
    if (!after.problem && after.info.closed && g_str_equal(digest, after.digest))
        return true;
    g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "a writer that opened it changed its rows: %s",
                after.problem ? after.problem : "no problem");
    return false;
}

static void print_judgement(const char *path, const char *mode)
{
    bool open = g_str_equal(mode, "open"), older = g_str_equal(mode, "older"), resume = g_str_equal(mode, "resume");
    g_autoptr(GError) error = NULL;
    g_auto(Judgement) judgement = {0};

    if (!(open    ? can_open
          : older ? judge_older
                  : judge_state)(path, &judgement, &error) ||
        (resume && !judgement.problem && !resume_file(path, judgement.digest, &error)))
        printf("%s\t!\t%s\n", path, error->message);
    else
        printf("%s\t%" PRIu64 "\t%d\t%s\t%s\n", path, judgement.info.commit, judgement.info.closed, judgement.digest,
               judgement.problem ? judgement.problem : "");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if ((argc == 5 || argc == 6) && g_str_equal(argv[1], "write")) {
        write_trace(argv[2], g_str_equal(argv[3], "late"), (unsigned)atoi(argv[4]),
                    argc == 6 ? (unsigned)atoi(argv[5]) : 0);
        return 0;
    }
    if (argc < 3 || !g_str_equal(argv[1], "judge")) {
        fprintf(stderr, "usage: states write FILE each|late COMMITS | judge open|read|older|resume PATH...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        print_judgement(argv[i], argv[2]);
    return 0;
}
