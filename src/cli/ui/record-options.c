#include "src/cli/ui/record-options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/record/mpi/regions.h"
#include "src/record/names/filter.h"
#include "src/trace/context/number-set.h"

#define PREFIX "XTF_RECORD_"

enum {
    DRAIN_SECONDS = 10,
    DRAIN_MAX = 86400,
    BRAKE_MAX = 1000000000,
    FSYNC_MAX = 86400,
    KEEP_MAX = 1000000,
    SITES_MAX = 8,
    RING_MIN = 4 << 10,
    RING_MAX = 1 << 30,
};
#define TIME_MAX_MS (UINT64_C(365) * 86400 * 1000)
#define TIME_NEEDED "a time such as 10s is needed: up to 365d, with ms, s, m, h or d"

/* Where a text was given: "--buffer" or "XTF_RECORD_BUFFER". */
typedef const char *Place;

static bool report_wrong(Place place, const char *value, const char *needed)
{
    xtf_print_line(stderr, "xtf: record: %s '%s': %s", place, value, needed);
    return false;
}

/* ---- Readers of options, one for each row of the table. */

static bool read_output(Place place, const char *text, XtfCliRecord *options)
{
    options->output = text;
    return *text || report_wrong(place, text, "the name of a file is needed");
}

static bool read_debug_dir(Place place, const char *text, XtfCliRecord *options)
{
    options->debug_dir = text;
    return g_file_test(text, G_FILE_TEST_IS_DIR) || report_wrong(place, text, "the name of a folder is needed");
}

static bool read_mpi(Place place, const char *text, XtfCliRecord *options)
{
    return xtf_mpi_parse(text, &options->mpi) || report_wrong(place, text, "openmpi, mpich or none is needed");
}

/* Reads the size of a ring, and rounds it up to a power of two, which rings need. */
static bool read_buffer(Place place, const char *text, XtfCliRecord *options)
{
    guint64 *size = &options->record.ring_size;
    uint64_t bytes;

    if (!xtf_cli_parse_size(text, &bytes) || bytes == 0 || bytes > RING_MAX)
        return report_wrong(place, text, "4K to 1G is needed");
    for (*size = RING_MIN; *size < bytes;)
        *size *= 2;
    return true;
}

static bool read_word(Place place, const char *text, const char *const *words, const char **word)
{
    g_autofree char *needed = g_strjoinv(" or ", (char **)words);
    g_autofree char *message = g_strdup_printf("%s is needed", needed);

    *word = text;
    return g_strv_contains(words, text) || report_wrong(place, text, message);
}

static bool read_when_full(Place place, const char *text, XtfCliRecord *options)
{
    static const char *const manners[] = {"wait", "drop", "flush", NULL};

    return read_word(place, text, manners, &options->record.when_full);
}

static bool read_clock(Place place, const char *text, XtfCliRecord *options)
{
    static const char *const clocks[] = {"tsc", "monotonic", NULL};

    return read_word(place, text, clocks, &options->record.clock);
}

/* Lists the functions of MPI that the filter names. Only calls that are counted by default can be included or excluded:
 * without the others, messages, operations and handles are wrong. */
static bool read_filtered_calls(Place place, const char *text, const XtfFilter *rules, XtfCliRecord *options)
{
    g_autoptr(GString) calls = g_string_new(NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const XtfMpiRegion *function;
    bool excludes;

    for (uint32_t i = 1; (function = xtf_mpi_region(i)); i++) {
        g_ptr_array_add(names, (gpointer)function->name);
        if (!xtf_filter_names(rules, "MPI_", function->name, &excludes))
            continue;
        g_autofree char *needed = g_strdup_printf("it excludes %s, without which messages, operations or handles of "
                                                  "MPI would be wrong: only functions that do not communicate, tests "
                                                  "and probes can be excluded",
                                                  function->name);
        if (excludes && !function->counted)
            return report_wrong(place, text, needed);
        if (function->counted)
            g_string_append_printf(calls, "%s%s%" PRIu32, calls->len > 0 ? " " : "", excludes ? "-" : "", i);
    }
    g_ptr_array_add(names, NULL);
    const char *unmatched = xtf_filter_unmatched(rules, "MPI_", (const char *const *)names->pdata);
    g_autofree char *wrong = g_strdup_printf("MPI has no function %s", unmatched);
    if (unmatched)
        return report_wrong(place, text, wrong);
    if (calls->len > 0)
        options->record.calls = options->calls = g_strdup(calls->str);
    return true;
}

/* Reads the filter now, since the traced program would find a mistake in it only later. Makes its path absolute, as the
 * program may change its folder. */
static bool read_filter(Place place, const char *text, XtfCliRecord *options)
{
    g_autoptr(GError) error = NULL;

    if (access(text, R_OK) != 0)
        return report_wrong(place, text, "it cannot be read");
    g_autoptr(XtfFilter) rules = xtf_filter_read(text, &error);
    if (!rules)
        return report_wrong(place, text, error->message);
    options->record.filter = options->filter = g_canonicalize_filename(text, NULL);
    return read_filtered_calls(place, text, rules, options);
}

static bool read_number(Place place, const char *text, guint64 least, guint64 most, const char *needed, guint64 *number)
{
    return g_ascii_string_to_unsigned(text, 10, least, most, number, NULL) || report_wrong(place, text, needed);
}

static bool read_brake(Place place, const char *text, XtfCliRecord *options)
{
    guint64 calls;

    options->record.brake = text;
    return read_number(place, text, 0, BRAKE_MAX, "a number of calls is needed, or 0", &calls);
}

static bool read_sites(Place place, const char *text, XtfCliRecord *options)
{
    guint64 frames;

    options->record.sites = text;
    return read_number(place, text, 0, SITES_MAX, "a number of frames, 0 to 8, is needed", &frames);
}

static bool read_drain(Place place, const char *text, XtfCliRecord *options)
{
    return read_number(place, text, 1, DRAIN_MAX, "a number of seconds, 1 to 86400, is needed", &options->record.drain);
}

static bool read_fsync(Place place, const char *text, XtfCliRecord *options)
{
    guint64 seconds;

    options->record.fsync = text;
    return read_number(place, text, 0, FSYNC_MAX, "a number of seconds, 0 to 86400, is needed", &seconds);
}

/* Reads a length of time: digits, and ms, s, m, h or d. Digits alone are seconds. `needed` has an example. */
static bool read_time(Place place, const char *text, const char *needed, guint64 *ms)
{
    static const struct {
        const char *unit;
        guint64 ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 86400 * 1000}};
    size_t digits = strspn(text, "0123456789"), unit = 0;
    g_autofree char *number = g_strndup(text, digits);

    while (unit < G_N_ELEMENTS(units) && strcmp(units[unit].unit, text + digits) != 0)
        unit++;
    if (unit == G_N_ELEMENTS(units) ||
        !g_ascii_string_to_unsigned(number, 10, 1, TIME_MAX_MS / units[unit].ms, ms, NULL))
        return report_wrong(place, text, needed);
    *ms *= units[unit].ms;
    return true;
}

static bool read_rotate(Place place, const char *text, XtfCliRecord *options)
{
    static const char needed[] = "a time such as 1h is needed: up to 365d, with s, m, h or d";
    guint64 ms;

    if (!read_time(place, text, needed, &ms))
        return false;
    options->record.rotate = ms / 1000;
    return ms % 1000 == 0 || report_wrong(place, text, needed);
}

static bool read_start(Place place, const char *text, XtfCliRecord *options)
{
    options->record.start_off = g_str_equal(text, "off");
    return options->record.start_off || g_str_equal(text, "on") || report_wrong(place, text, "on or off is needed");
}

static bool read_from(Place place, const char *text, XtfCliRecord *options)
{
    if (options->record.start_off)
        return report_wrong(place, text, "with --start off, the program says when recording begins");
    return read_time(place, text, TIME_NEEDED, &options->record.from_ms);
}

static bool read_for(Place place, const char *text, XtfCliRecord *options)
{
    return read_time(place, text, TIME_NEEDED, &options->record.for_ms);
}

/* Checks only the form of a list of ranks: how many processes there will be is not known yet. */
static bool read_ranks(Place place, const char *text, XtfCliRecord *options)
{
    static const XtfNumbers any = {.noun = "rank", .is_any = true};
    g_autoptr(XtfNumberSet) ranks = xtf_number_set_parse(&any, text, NULL);

    options->record.ranks = text;
    return ranks || report_wrong(place, text, "ranks such as 0-15,1024 are needed");
}

static bool read_clock_sync(Place place, const char *text, XtfCliRecord *options)
{
    static const char *const words[] = {"on", "off", NULL};

    return read_word(place, text, words, &options->record.clock_sync);
}

static bool read_sync_every(Place place, const char *text, XtfCliRecord *options)
{
    if (g_strcmp0(options->record.clock_sync, "off") == 0)
        return report_wrong(place, text, "it needs --clock-sync on");
    return read_time(place, text, TIME_NEEDED, &options->record.sync_every_ms);
}

static bool read_keep(Place place, const char *text, XtfCliRecord *options)
{
    if (options->record.rotate == 0)
        return report_wrong(place, text, "it needs --rotate");
    return read_number(place, text, 1, KEEP_MAX, "a number of files is needed", &options->record.keep);
}

/* Defines a reader of an option that is on if it is given. */
#define SWITCH(name, member)                                                                               \
    static bool read_##name(Place place, const char *text, XtfCliRecord *options)                          \
    {                                                                                                      \
        options->member = g_str_equal(text, "1");                                                          \
        return options->member || g_str_equal(text, "0") || report_wrong(place, text, "1 or 0 is needed"); \
    }
SWITCH(force, force)
SWITCH(dry_run, dry_run)
SWITCH(all_calls, record.all_calls)
SWITCH(locks, record.locks)
SWITCH(stack, record.stack)
SWITCH(keep_parts, keep_parts)
SWITCH(quiet, quiet)
SWITCH(names, names)

/* ---- The table. */

typedef struct {
    const char *name;
    char letter; /* 0: none */
    bool (*read)(Place place, const char *text, XtfCliRecord *options);
    const char *value; /* name of the value; NULL: a switch */
    const char *help;
} Row;

/* In the order of the help. An option that needs another one is below it. */
static const Row rows[] = {
    {"output", 'o', read_output, "FILE", "The trace to write (default: PROGRAM.xtf)"},
    {"force", 'f', read_force, NULL, "Replace FILE if it exists"},
    {"dry-run", 0, read_dry_run, NULL, "Print the commands and run nothing"},
    {"mpi", 0, read_mpi, "NAME", "The MPI of the program: openmpi, mpich, none (default: found out)"},
    {"buffer", 'b', read_buffer, "SIZE", "Size of each thread's buffer, 4K to 1G (default: 4M)"},
    {"when-full", 'w', read_when_full, "WHAT", "If a buffer is full: wait (default), drop records, or flush it all"},
    {"all-calls", 'a', read_all_calls, NULL, "Record calls that do not communicate too, such as MPI_Comm_rank"},
    {"filter", 0, read_filter, "FILE", "Read from FILE which functions of the program to record"},
    {"start", 0, read_start, "off", "Begin when the program says so: MPI_Pcontrol(1), XTF_RECORDING_ON()"},
    {"from", 0, read_from, "TIME", "Begin recording after this time, such as 10s"},
    {"for", 0, read_for, "TIME", "End recording this time after its begin"},
    {"ranks", 0, read_ranks, "RANKS", "Record these ranks of MPI_COMM_WORLD alone, such as 0-15,1024"},
    {"brake", 0, read_brake, "N", "Stop recording a function after N short calls (default: 100000; 0: never)"},
    {"sites", 0, read_sites, "N", "Frames that say from where MPI is called: 1 (default), up to 8, 0: none"},
    {"locks", 0, read_locks, NULL, "Record POSIX mutexes"},
    {"stack", 0, read_stack, NULL, "Call MPI through other preloaded tools"},
    {"clock", 0, read_clock, "NAME", "Read this clock: tsc or monotonic"},
    {"clock-sync", 0, read_clock_sync, "off", "Do not read the clocks of other nodes"},
    {"sync-every", 0, read_sync_every, "TIME", "Read them again after this time, at a collective operation"},
    {"drain", 0, read_drain, "SECONDS", "Time to wait for the records at the end (default: 10)"},
    {"fsync", 0, read_fsync, "SECONDS", "Time between writes to the disk (default: 5; 0: at the end only)"},
    {"rotate", 0, read_rotate, "TIME", "Begin new files after this time, such as 1h"},
    {"keep", 0, read_keep, "N", "With --rotate: keep the last N old files, and remove the others"},
    {"keep-parts", 'k', read_keep_parts, NULL, "Keep the parts after merging them"},
    {"quiet", 'q', read_quiet, NULL, "Show no progress and no summary"},
    {"names", 0, read_names, NULL, "Find names of functions and lines of calls for a recorded trace"},
    {"debug-dir", 0, read_debug_dir, "DIR", "With --names: a folder with debug information, too"},
};

enum { N_ROWS = G_N_ELEMENTS(rows) };

/* Variables that `xtf record` sets for the traced program, or that say where its files are. */
static const char *const other_variables[] = {PREFIX "FOLDER",          PREFIX "JOB",   PREFIX "XTF",
                                              PREFIX "GATHER",          PREFIX "HOST",  PREFIX "LIBDIR",
                                              PREFIX "TIMEOUT_PERCENT", PREFIX "CALLS", NULL};

/* Returns the variable of an option: "when-full" is XTF_RECORD_WHEN_FULL. The caller frees it. */
static char *name_variable(const Row *row)
{
    g_autofree char *name = g_ascii_strup(row->name, -1);

    return g_strconcat(PREFIX, g_strdelimit(name, "-", '_'), NULL);
}

/* True if options for --names and others are not mixed on the command line. Else prints a message. */
static bool options_agree(const XtfCliRecord *options, int n_arguments)
{
    static const char *const for_names[] = {"output", "force", "quiet", "names", "debug-dir", NULL};

    for (size_t i = 0; i < N_ROWS; i++) {
        g_autofree char *option = g_strconcat("--", rows[i].name, NULL);
        if (!options->texts[i] || options->from_variable[i])
            continue;
        if (options->names && !g_strv_contains(for_names, rows[i].name))
            return report_wrong(option, options->texts[i], "--names runs no program");
        if (!options->names && rows[i].read == read_debug_dir)
            return report_wrong(option, options->texts[i], "it is for --names");
    }
    if (!options->names || n_arguments == 1)
        return true;
    xtf_print_line(stderr, "xtf: record: --names needs the name of one trace");
    return false;
}

static bool parse_arguments(int *argc, char ***argv, const char *summary, XtfCliRecord *options)
{
    GOptionEntry entries[N_ROWS + 1] = {0};

    for (size_t i = 0; i < N_ROWS; i++)
        entries[i] = (GOptionEntry){
            .long_name = rows[i].name,
            .short_name = rows[i].letter,
            .arg = rows[i].value ? G_OPTION_ARG_FILENAME : G_OPTION_ARG_NONE,
            .arg_data = rows[i].value ? (gpointer)&options->texts[i] : (gpointer)&options->switches[i],
            .description = rows[i].help,
            .arg_description = rows[i].value,
        };
    return xtf_cli_parse(argc, argv, XTF_CLI_COMMAND, "[--] COMMAND [ARGUMENT...]", summary, entries);
}

/* Reads one option, which the command line or else the environment gives. An empty variable counts as not set. */
static bool read_option(size_t i, XtfCliRecord *options)
{
    g_autofree char *variable = name_variable(&rows[i]), *option = g_strconcat("--", rows[i].name, NULL);
    bool is_given = options->texts[i] || options->switches[i];
    const char *value = g_getenv(variable);

    if (options->switches[i])
        options->texts[i] = g_strdup("1");
    else if (!is_given && value && *value)
        options->texts[i] = g_strdup(value);
    options->from_variable[i] = !is_given;
    g_unsetenv(variable);
    return !options->texts[i] || rows[i].read(is_given ? option : variable, options->texts[i], options);
}

bool xtf_cli_record_parse(int *argc, char ***argv, const char *summary, XtfCliRecord *options)
{
    g_auto(XtfCliRecord) result = {
        .record.drain = DRAIN_SECONDS,
        .mpi = XTF_MPI_UNKNOWN,
        .texts = g_new0(char *, N_ROWS),
        .switches = g_new0(gboolean, N_ROWS),
        .from_variable = g_new0(bool, N_ROWS),
    };

    if (!parse_arguments(argc, argv, summary, &result))
        return false;
    for (size_t i = 0; i < N_ROWS; i++)
        if (!read_option(i, &result))
            return false;
    if (!options_agree(&result, *argc - 1))
        return false;
    *options = result;
    result = (XtfCliRecord){0};
    return true;
}

void xtf_cli_record_finish(XtfCliRecord *options)
{
    for (size_t i = 0; options->texts && i < N_ROWS; i++)
        g_free(options->texts[i]);
    g_clear_pointer(&options->texts, g_free);
    g_clear_pointer(&options->switches, g_free);
    g_clear_pointer(&options->from_variable, g_free);
    g_clear_pointer(&options->filter, g_free);
    g_clear_pointer(&options->calls, g_free);
}

char **xtf_cli_record_unknown_variables(void)
{
    g_auto(GStrv) names = g_listenv();
    GPtrArray *lines = g_ptr_array_new();

    /* xtf_cli_record_parse() has removed the variables of options. */
    for (char **name = names; *name; name++)
        if (g_str_has_prefix(*name, PREFIX) && !g_strv_contains(other_variables, *name))
            g_ptr_array_add(lines,
                            g_strdup_printf("the variable %s is ignored: `xtf record` has no such option", *name));
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(lines, FALSE);
}
