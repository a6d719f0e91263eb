#include "src/record/gasp/events.h"

#include <string.h>

enum { PARADIGM_USER = 1, PARADIGM_UPC = 12 }; /* indices in xtf_paradigm_names */

#define ROW(NAME, region, ROLE, PARADIGM, start, end, KIND, bupc, gupc) \
    [XTF_GASP_##NAME##                                                  \
        _EVENT] = {region, start, end, XTF_GASP_ROLE_##ROLE, PARADIGM_##PARADIGM, XTF_GASP_##KIND, {bupc, gupc}},
const XtfGaspEvent xtf_gasp_events[XTF_GASP_N_EVENTS] = {XTF_GASP_EVENTS(ROW)};

bool xtf_gasp_find_dialect(const char *name, XtfGaspDialect *dialect)
{
    static const char *const names[XTF_GASP_N_DIALECTS] = {[XTF_GASP_BERKELEY] = "bupc", [XTF_GASP_GNU] = "gupc"};

    for (unsigned i = 0; i < XTF_GASP_N_DIALECTS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *dialect = (XtfGaspDialect)i;
            return true;
        }
    }
    return false;
}

void xtf_gasp_number_events(XtfGaspDialect dialect, unsigned short *ids, unsigned n)
{
    memset(ids, 0, n * sizeof *ids);
    for (unsigned id = 1; id < XTF_GASP_N_EVENTS; id++) {
        unsigned number = xtf_gasp_events[id].numbers[dialect];
        if (number > 0 && number < n)
            ids[number] = (unsigned short)id;
    }
}
