/*
 * Damages a file, one byte or the length at a time, and compares its answers with the answers of the whole file.
 *
 *     flip-bytes TRACE FILE SEED FIRST END STEP CUT-STEP SHARE
 *
 * TRACE is what is opened: FILE itself, its folder, or a file that names FILE. Case n below the size of the file flips
 * bits of byte n. Case size + n cuts the file to n bytes, and case 2 size + n makes its first n bytes zero, as a power
 * cut may leave them. The program runs every STEP-th byte, and every CUT-STEP-th length, from case FIRST to case END,
 * and asks one of SHARE questions. The file is whole again at the end.
 *
 * It prints `case N VALUE` before each case, and `rows N DIGEST` after it. VALUE is the changed byte. The digest is 0
 * if the rows could not be read. A wrong answer is a line `wrong N ...`. After a crash the last line names the case.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/cli/trace/archive-cache.h"
#include "tests/fuzz/answers.h"
#include "tests/fuzz/fuzz-structure.h"
#include "tests/torture/all-rows.h"

enum {
    SECONDS_EACH = 10,     /* bound of a case's processor time */
    SECONDS_WAITING = 120, /* bound of its elapsed time */
    CACHE_BYTES = 16 << 20,
    BASES_MAX = 4,
    SLOT_BYTES = 4096,
    SUPERBLOCK_BYTES = 256,
    COMMIT_AT = 56, /* offset of the commit's number in a superblock */
};

/* All answers of a trace. */
typedef struct {
    Answers answers;
    uint64_t rows;          /* digest of all rows and tables; 0: they cannot be read */
    char *error;            /* why the trace cannot be opened; NULL: it can */
    char *left_out;         /* why the companion beside the trace is not used; NULL: it is, or there is none */
    bool without_companion; /* a base: the companion was moved away */
    bool refused;           /* the check found a problem, or the trace cannot be opened */
    bool checked;
} Outcome;

typedef struct {
    const char *trace, *path;
    int fd;
    unsigned share; /* a case asks one question of this many */
    uint8_t *data;  /* the whole file */
    size_t size;
    GArray *parts; /* FuzzPart: the structures of the file, which have checksums */
    unsigned n_bases;
    Outcome bases[BASES_MAX]; /* of the whole file, of the file with one superblock, and without companion */
} Job;

static void outcome_clear(Outcome *outcome)
{
    answers_clear(&outcome->answers);
    g_free(outcome->error);
    g_free(outcome->left_out);
    *outcome = (Outcome){0};
}

/* Adds bytes to a digest: the hash FNV-1a. */
static void add_to_digest(void *data, const void *bytes, size_t n)
{
    uint64_t *digest = data;

    for (size_t i = 0; i < n; i++)
        *digest = (*digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
}

/* Returns a digest of all rows, which is not 0; 0 if they cannot be read. */
static uint64_t digest_rows(XtfTrace *trace)
{
    g_autoptr(GError) error = NULL;
    uint64_t digest = 0xcbf29ce484222325;

    return all_rows_visit(trace, add_to_digest, &digest, &error) ? MAX(digest, 1) : 0;
}

static void ignore_problem(const char *message, void *data)
{
}

/* True if the check of a trace finds a problem. */
static bool check_finds(XtfTrace *trace)
{
    g_autoptr(GError) error = NULL;
    XtfCheckReport report = {0};

    return !xtf_trace_check(trace, ignore_problem, NULL, NULL, &report, &error) || report.problems > 0;
}

/* True if the check of the damaged file alone finds a problem, as `xtf check` checks each part. */
static bool check_finds_in_file(const Job *job)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(job->path, &(XtfOpenOptions){.cache_bytes = CACHE_BYTES}, &error);

    return !trace || check_finds(trace);
}

static bool has_parts(const XtfTrace *trace)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.parts > 0;
}

/* Opens the trace and asks it. A case asks one of `share` questions, the bases all. */
static Outcome ask_trace(const Job *job, size_t number, unsigned share, bool checks)
{
    GError *error = NULL;
    g_autoptr(GError) left_out = NULL;
    const XtfOpenOptions open = {.cache_bytes = CACHE_BYTES, .use_mmap = number % 2};
    const XtfSourceOptions options = {.open = &open, .quiet = true, .left_out = &left_out};
    g_autoptr(XtfTrace) trace = xtf_cli_open_xtf(job->trace, &options, &error);
    g_autoptr(XtfTree) tree = trace ? xtf_tree_new(trace, &error) : NULL;
    Outcome outcome = {0};

    if (!tree) {
        outcome.error = g_strdup(error->message);
        g_clear_error(&error);
        outcome.refused = outcome.checked = true;
        return outcome;
    }
    for (unsigned i = 0; i < N_ANSWERS; i++)
        if (job->n_bases == 0 || (job->bases[0].answers.texts[i] && (number + i) % share == 0))
            answers_add(&outcome.answers, i, tree);
    outcome.rows = digest_rows(trace);
    outcome.left_out = left_out ? g_strdup(left_out->message) : NULL;
    outcome.checked = checks;
    outcome.refused = checks && (left_out || check_finds(trace) || (has_parts(trace) && check_finds_in_file(job)));
    return outcome;
}

/* Returns the first answer that is no error and differs from the answer of a base; N_ANSWERS: all agree. */
static unsigned first_wrong(const Outcome *base, const Outcome *outcome)
{
    unsigned i = 0;

    while (i < N_ANSWERS && ((!outcome->answers.texts[i] && !outcome->answers.errors[i]) ||
                             answers_correct(&base->answers, &outcome->answers, i)))
        i++;
    return i;
}

/* True if some answer is not that of the whole file. */
static bool is_changed(const Outcome *whole, const Outcome *outcome)
{
    if (outcome->error || whole->rows != outcome->rows)
        return true;
    for (unsigned i = 0; i < N_ANSWERS; i++)
        if (outcome->answers.errors[i] ||
            (outcome->answers.texts[i] && !g_string_equal(whole->answers.texts[i], outcome->answers.texts[i])))
            return true;
    return false;
}

/* True if an error says where: it names a number, such as that of a byte, or a file or folder. */
static bool names_place(const char *message)
{
    return strpbrk(message, "0123456789'/") || strstr(message, "superblock");
}

static void print_wrong(size_t number, const char *question, const char *fault)
{
    g_autofree char *line = g_strdup(fault);

    printf("wrong %zu %s: %.300s\n", number, question, g_strdelimit(line, "\n", ' '));
}

/* Judges the errors to questions that a base answers. */
static void judge_errors(const Outcome *base, size_t number, const Outcome *outcome)
{
    for (unsigned i = 0; i < N_ANSWERS; i++) {
        const char *message = base->answers.texts[i] ? outcome->answers.errors[i] : NULL;
        if (message && !names_place(message + strcspn(message, " ")))
            print_wrong(number, answers_path(i), message);
    }
}

/* True if all answers equal the answers of a base, or are errors. */
static bool fits(const Outcome *base, const Outcome *outcome)
{
    return first_wrong(base, outcome) == N_ANSWERS && (outcome->rows == 0 || outcome->rows == base->rows) &&
           (!base->without_companion || outcome->left_out);
}

static void judge_answers(const Job *job, size_t number, const Outcome *outcome)
{
    unsigned b = 0, wrong = first_wrong(&job->bases[0], outcome);

    while (b < job->n_bases && !fits(&job->bases[b], outcome))
        b++;
    if (b < job->n_bases)
        judge_errors(&job->bases[b], number, outcome);
    else
        print_wrong(number, wrong < N_ANSWERS ? answers_path(wrong) : "rows",
                    wrong < N_ANSWERS && outcome->answers.errors[wrong] ? outcome->answers.errors[wrong]
                                                                        : "another answer without an error");
}

/* True if the case flips a byte that a checksum covers. */
static bool is_in_structure(const Job *job, size_t number)
{
    for (guint i = 0; i < job->parts->len; i++) {
        const FuzzPart *part = &g_array_index(job->parts, FuzzPart, i);
        if (number >= part->offset && number - part->offset < part->length && number < job->size)
            return true;
    }
    return false;
}

/* True if the case makes the newest superblock zero, and the answers come from the commit before. The file then looks
 * as it did before the newest commit. */
static bool is_older_file(const Job *job, size_t number, const Outcome *outcome)
{
    unsigned b = 1;

    if (number < 2 * job->size + SUPERBLOCK_BYTES)
        return false;
    while (b < job->n_bases && !fits(&job->bases[b], outcome))
        b++;
    return b < job->n_bases;
}

static void judge_outcome(const Job *job, size_t number, const Outcome *outcome)
{
    if (!outcome->error)
        judge_answers(job, number, outcome);
    else if (!names_place(outcome->error))
        print_wrong(number, "the error of opening names no place", outcome->error);
    if (outcome->left_out && !names_place(outcome->left_out))
        print_wrong(number, "the remark on the companion names no place", outcome->left_out);
    if (outcome->checked && !outcome->refused && is_changed(&job->bases[0], outcome) &&
        !is_older_file(job, number, outcome))
        print_wrong(number, "check", "it finds nothing, although an answer changed");
    else if (outcome->checked && !outcome->refused && is_in_structure(job, number))
        print_wrong(number, "check", "it finds nothing, although a byte of a structure changed");
}

static void write_bytes(const Job *job, const uint8_t *bytes, size_t n, size_t at)
{
    if (pwrite(job->fd, bytes, n, (off_t)at) != (ssize_t)n)
        g_error("cannot write: %s", strerror(errno));
}

/* Returns the new value of the byte that a case flips; 0 if it cuts the file. */
static uint8_t flipped_byte(const Job *job, size_t number, uint32_t seed)
{
    uint32_t mixed = ((uint32_t)number + seed * 7919) * 2654435761u;

    return number < job->size ? job->data[number] ^ (uint8_t)(1 + (mixed >> 16) % 255) : 0;
}

static void write_zeros(const Job *job, size_t n)
{
    g_autofree uint8_t *zeros = g_malloc0(n + 1);

    write_bytes(job, zeros, n, 0);
}

/* Writes the flipped byte, cuts the file, or makes its first bytes zero. */
static void damage_file(const Job *job, size_t number, uint8_t flipped)
{
    if (number < job->size)
        write_bytes(job, &flipped, 1, number);
    else if (number >= 2 * job->size)
        write_zeros(job, number - 2 * job->size);
    else if (ftruncate(job->fd, (off_t)(number - job->size)) != 0)
        g_error("cannot cut the file: %s", strerror(errno));
}

static void write_back(const Job *job, size_t number)
{
    size_t kind = number / job->size, at = number % job->size;

    if (kind == 0)
        write_bytes(job, job->data + at, 1, at);
    else if (kind == 1)
        write_bytes(job, job->data + at, job->size - at, at);
    else
        write_bytes(job, job->data, at, 0);
}

/* Sets timers whose signals kill the process when it hangs. 0 seconds stop the timers. */
static void bound_time(int seconds, int elapsed)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
    alarm((unsigned)elapsed);
}

static void run_case(const Job *job, size_t number, uint32_t seed, bool checks)
{
    uint8_t flipped = flipped_byte(job, number, seed);

    printf("case %zu %u\n", number, flipped);
    fflush(stdout);
    bound_time(SECONDS_EACH, SECONDS_WAITING);
    damage_file(job, number, flipped);
    Outcome outcome = ask_trace(job, number, job->share, checks);
    judge_outcome(job, number, &outcome);
    if (!outcome.checked && is_changed(&job->bases[0], &outcome)) {
        Outcome checked = ask_trace(job, number, job->share, true);
        judge_outcome(job, number, &checked);
        outcome_clear(&checked);
    }
    write_back(job, number);
    printf("rows %zu %" PRIu64 "\n", number, outcome.rows);
    outcome_clear(&outcome);
}

static void add_base(Job *job, bool without_companion)
{
    Outcome outcome = ask_trace(job, 0, 1, false);

    outcome.without_companion = without_companion;
    if (!outcome.error)
        job->bases[job->n_bases++] = outcome;
    else if (job->n_bases == 0)
        g_error("%s: %s", job->trace, outcome.error);
    else
        outcome_clear(&outcome);
}

/* True if the damaged file is an earlier volume of the trace. Later volumes have new copies of all items that its
 * commit names, except pages and some right edges. So most of its structures are not read. */
static bool is_earlier_volume(const Job *job)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(job->trace, NULL, NULL);
    XtfTraceInfo info = {0};

    if (trace)
        xtf_trace_get_info(trace, &info);
    return info.volumes > 0 && !g_str_equal(job->trace, job->path);
}

/* Finds the structures that the newest commit names, and both superblocks of a closed file. */
static void find_parts(Job *job)
{
    g_autofree uint8_t *copy = g_memdup2(job->data, job->size);
    uint64_t commits[2];

    for (size_t slot = 0; slot < 2; slot++)
        memcpy(&commits[slot], copy + slot * SLOT_BYTES + COMMIT_AT, sizeof commits[slot]);
    if (commits[0] != commits[1])
        memset(copy + (commits[0] < commits[1] ? 0 : SLOT_BYTES), 0, SUPERBLOCK_BYTES);
    job->parts = g_array_new(FALSE, FALSE, sizeof(FuzzPart));
    if (!is_earlier_volume(job))
        fuzz_correct_checksums(copy, job->size, job->parts);
}

/* Stores all right answers: of the whole file, of its earlier commit, and without a companion. */
static void find_bases(Job *job)
{
    static const uint8_t zeros[SUPERBLOCK_BYTES];
    g_autofree char *companion = g_strconcat(job->trace, ".analysis", NULL);
    g_autofree char *away = g_strconcat(companion, ".away", NULL);

    add_base(job, false);
    for (size_t slot = 0; slot < 2; slot++) {
        write_bytes(job, zeros, sizeof zeros, slot * SLOT_BYTES);
        add_base(job, false);
        write_bytes(job, job->data + slot * SLOT_BYTES, sizeof zeros, slot * SLOT_BYTES);
    }
    if (rename(companion, away) != 0)
        return;
    add_base(job, true);
    if (rename(away, companion) != 0)
        g_error("cannot rename: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc != 9) {
        fprintf(stderr, "usage: %s TRACE FILE SEED FIRST END STEP CUT-STEP SHARE\n", argv[0]);
        return 2;
    }
    Job job = {
        .trace = argv[1], .path = argv[2], .fd = open(argv[2], O_RDWR | O_CLOEXEC), .share = (unsigned)atol(argv[8])};
    uint32_t seed = (uint32_t)atol(argv[3]);
    size_t first = strtoul(argv[4], NULL, 10), step = strtoul(argv[6], NULL, 10), cut = strtoul(argv[7], NULL, 10);
    GError *error = NULL;

    if (job.fd < 0 || !g_file_get_contents(job.path, (char **)&job.data, &job.size, &error))
        g_error("%s: %s", job.path, error ? error->message : strerror(errno));
    find_parts(&job);
    find_bases(&job);
    size_t end = MIN(strtoul(argv[5], NULL, 10), 3 * job.size);
    printf("rows whole %" PRIu64 "\n", job.bases[0].rows);
    for (unsigned i = 1; i < job.n_bases; i++)
        printf("rows earlier %" PRIu64 "\n", job.bases[i].rows);
    for (size_t number = first; number < end; number++)
        if (number < job.size ? (number + seed) % step == 0 : (number + seed) % cut == 0)
            run_case(&job, number, seed, step == 1 || (number + seed) % (5 * step) == 0);
    for (unsigned i = 0; i < job.n_bases; i++)
        outcome_clear(&job.bases[i]);
    g_array_unref(job.parts);
    g_free(job.data);
    close(job.fd);
    printf("end\n");
    return 0;
}
