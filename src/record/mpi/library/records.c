#include "src/record/mpi/library/records.h"

XtfRing *xtf_mpi_ring(XtfRing *ring)
{
    if (ring || !xtf_core_active)
        return ring;
    return xtf_core_thread.ring ? xtf_core_thread.ring : xtf_core_claim_ring();
}

void xtf_mpi_record_end(unsigned kind, uint32_t id)
{
    bool inside = xtf_core_active && xtf_core_thread.busy == XTF_CORE_BUSY;
    XtfRing *ring = inside ? xtf_core_thread.ring : xtf_core_begin();

    if (!ring)
        return;
    xtf_core_record(ring, xtf_core_now(), kind, 0, id);
    if (!inside)
        xtf_core_end();
}

void xtf_mpi_failed(XtfRing *ring, uint64_t time)
{
    xtf_core_record(ring, time, XTF_WIRE_FAILED, 0, 0);
}

void xtf_mpi_collective_begin(XtfRing *ring, uint64_t time)
{
    if (ring)
        xtf_core_record(ring, time, XTF_WIRE_COLLECTIVE_BEGIN, 0, 0);
}

void xtf_mpi_collective_end(XtfRing *ring, uint64_t time, uint32_t operation, uint32_t comm)
{
    if (ring)
        xtf_core_record(ring, time, XTF_WIRE_COLLECTIVE_END, operation, XTF_WIRE_NONE, xtf_core_pair(comm, 0), 0, 0);
}
