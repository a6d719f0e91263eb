#include "src/cli/importing.h"

#include <signal.h>

#include "src/cli/progress.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static atomic_bool cancelled;

static void cancel(int signal_number)
{
    atomic_store(&cancelled, true);
}

static void catch_signals(struct sigaction before[static G_N_ELEMENTS(signals)])
{
    const struct sigaction action = {.sa_handler = cancel};

    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void show_progress(uint64_t events, double done, void *data)
{
    xtf_progress_update(data, (uint64_t)(done * 1e6), 1000000, events);
}

bool xtf_cli_import(const char *archive, const char *output, const XtfImportOptions *options, bool quiet,
                    XtfImportReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("importing", "events", quiet);
    struct sigaction before[G_N_ELEMENTS(signals)];
    XtfImportOptions own = *options;

    own.cancel = &cancelled;
    own.progress = show_progress;
    own.progress_data = progress;
    catch_signals(before);
    bool done = xtf_import_otf2(archive, output, &own, report, error);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &before[i], NULL);
    return done;
}
