/*
 * Receives in another order (src/analysis/compensate/order.h). Two receives change their order if their messages have
 * one communicator and tag, but different senders. The message of the earlier receive was sent first in the trace, and
 * is sent later in the prediction.
 */
#include "src/analysis/predict/engine-private.h"

void xtf_engine_note_receive(XtfEngine *engine, uint32_t location, const XtfOp *op, const XtfEngineMessage *message)
{
    XtfEngineOrder *order = &engine->orders[location];
    const XtfEngineReceive receive = {
        .recorded = message->recorded, .sent = message->sent, .process = op->peer, .comm = op->comm, .tag = op->tag};
    bool overtakes = false;

    for (uint32_t i = 0; i < MIN(order->n, XTF_RECEIVES_COMPARED_AHEAD); i++) {
        const XtfEngineReceive *earlier = &order->last[i];
        overtakes |= earlier->comm == receive.comm && earlier->tag == receive.tag &&
                     earlier->process != receive.process && earlier->recorded <= receive.recorded &&
                     earlier->sent > receive.sent;
    }
    engine->result->overtaking += overtakes;
    order->last[order->n++ % XTF_RECEIVES_COMPARED_AHEAD] = receive;
}
