/* Turns SIGTRAP into SIGABRT. g_error() raises SIGTRAP, at which libFuzzer would not keep the input. */
#include <signal.h>
#include <stdlib.h>

static void abort_at_trap(int number)
{
    abort();
}

__attribute__((constructor)) static void catch_traps(void)
{
    signal(SIGTRAP, abort_at_trap);
}
