#include "src/analysis/predict/machine.h"

static bool takes_no_time(const XtfLinkTimes *link)
{
    return link->latency == 0 && link->per_byte <= 0;
}

bool xtf_machine_is_ideal(const XtfMachine *machine)
{
    return machine->overhead == 0 && !machine->pairs && takes_no_time(&machine->remote) &&
           takes_no_time(&machine->local);
}
