/* State of the process and of each thread that concerns regions. */
#include "src/record/regions/regions.h"

_Atomic uint8_t *xtf_regions_choices;
__thread XtfRegionCalls *xtf_regions_calls __attribute__((tls_model("initial-exec")));
