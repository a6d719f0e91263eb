#include "src/cli/ui/interrupts.h"

#include <glib.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

_Static_assert(G_N_ELEMENTS(signals) == G_N_ELEMENTS(((XtfInterrupts *)0)->old_actions), "a slot for each");

static atomic_bool cancelled;

static void set_cancelled(int signal_number)
{
    atomic_store(&cancelled, true);
}

atomic_bool *xtf_interrupts_catch(XtfInterrupts *interrupts)
{
    const struct sigaction action = {.sa_handler = set_cancelled};

    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        sigaction(signals[i], NULL, &interrupts->old_actions[i]);
        if (interrupts->old_actions[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return &cancelled;
}

void xtf_interrupts_release(const XtfInterrupts *interrupts)
{
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &interrupts->old_actions[i], NULL);
}
