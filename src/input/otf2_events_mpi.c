/* Events of MPI: point to point and collective, blocking and not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_callbacks.h"
#include "input/otf2_fold.h"

/* ---- Messages ------------------------------------------------------------------------------------------ */

/* Whether the sender will wait for the receive to be posted, and points are written for that. */
static bool send_message(struct otf2_fold *f, int64_t time, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag)
{
    bool synchronous = f->definitions->regions.items[f->top->region].synchronous_send;
    fold_push_point(f, LP_NODE_SEND, time);
    f->counts.sync_events++;
    f->counts.synchronous_sends += synchronous;
    fold_append(f, fold_last_record(f), CHANNEL_SEND, receiver, fold_communicator_index(f, communicator), tag, true);
    return synchronous && f->posted_points;
}

OTF2_EVENT(on_send, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    EVENT_BEGIN;
    (void)length;
    if (send_message(f, time, receiver, communicator, tag)) {
        f->pending_send = fold_last_record(f);
        f->top->flags |= FRAME_SPECIAL;
    }
    EVENT_END;
}

OTF2_EVENT(on_isend, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request)
{
    EVENT_BEGIN;
    (void)length;
    if (send_message(f, time, receiver, communicator, tag))
        fold_map_put(f, &f->send_requests, request, fold_last_record(f));
    EVENT_END;
}

OTF2_EVENT(on_isend_complete, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    uint32_t send = lp_map_get(&f->send_requests, request);
    if (send != LP_MAP_FREE) {
        lp_map_remove(&f->send_requests, request);
        fold_push_wait(f, LP_NODE_SEND_RELEASED, time);
        if (!f->failed)
            f->records.items[send].tag = fold_last_record(f);
    }
    EVENT_END;
}

OTF2_EVENT(on_irecv_request, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    if (f->posted_points) {
        fold_push_point(f, LP_NODE_RECEIVE_POSTED, time);
        fold_map_put(f, &f->posted, request, fold_last_record(f));
    } else {
        fold_map_put(f, &f->posted, request, f->post_sequence++);
    }
    EVENT_END;
}

static void receive_message(struct otf2_fold *f, int64_t time, uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                            uint32_t posted)
{
    uint32_t index = fold_communicator_index(f, communicator);
    uint32_t before = fold_channel_last(f, CHANNEL_RECEIVE, sender, index, tag);
    if (f->posted_points && posted == LP_NONE) {
        fold_interrupt_collective(f);
        fold_push_record(f, LP_NODE_RECEIVE_POSTED, f->last);
        f->stretch_is_continued = false;
        posted = fold_last_record(f);
    } else if (posted == LP_NONE) {
        posted = f->post_sequence++;
    }
    struct otf2_record *record = fold_push_wait(f, LP_NODE_RECEIVE, time);
    record->tag = posted;
    f->counts.sync_events++;
    bool in_order = before == LP_NONE || f->failed || f->records.items[before].tag < posted;
    fold_append(f, fold_last_record(f), CHANNEL_RECEIVE, sender, index, tag, in_order);
}

OTF2_EVENT(on_receive, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    EVENT_BEGIN;
    (void)length;
    receive_message(f, time, sender, communicator, tag, LP_NONE);
    EVENT_END;
}

OTF2_EVENT(on_irecv, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request)
{
    EVENT_BEGIN;
    (void)length;
    uint32_t posted = lp_map_get(&f->posted, request);
    lp_map_remove(&f->posted, request);
    receive_message(f, time, sender, communicator, tag, posted);
    EVENT_END;
}

OTF2_EVENT(on_request_cancelled, uint64_t request)
{
    EVENT_BEGIN;
    (void)time;
    f->counts.unmodelled[UNMODELLED_MpiRequestCancelled]++;
    lp_map_remove(&f->posted, request);
    lp_map_remove(&f->send_requests, request);
    EVENT_END;
}

/* ---- Collectives --------------------------------------------------------------------------------------- */

static enum lp_node_kind collective_kind(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return LP_NODE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return LP_NODE_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return LP_NODE_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return LP_NODE_PREFIX;
    default:
        return LP_NODE_ALL_TO_ALL;
    }
}

OTF2_EVENT(on_collective_begin)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    f->top->flags |= FRAME_SYNCHRONISES;
    if (!fold_is_inside(f)) {
        fold_charge(f, time);
        f->top->enter = time;
        f->stretch_is_continued = false;
    }
    EVENT_END;
}

/* The completion of a collective operation whose arrival is `arrival` (LP_NONE: one point does for both). */
static void complete_collective(struct otf2_fold *f, int64_t time, OTF2_CollectiveOp operation,
                                OTF2_CommRef communicator, uint32_t root, uint32_t arrival)
{
    int64_t entered = f->last; /* nothing happened since the enter, or the arrival would be a point of its own */
    enum lp_node_kind kind = collective_kind(operation);
    uint32_t index = fold_communicator_index(f, communicator);
    f->counts.sync_events++;
    f->counts.unmodelled[UNMODELLED_CollectiveScan] += kind == LP_NODE_PREFIX;
    struct otf2_record *record = fold_push_completion(f, kind, time);
    record->time = entered;
    record->extra = (root < OTF2_ROOT_MAX ? root : OTF2_ROOT_MAX) & OTF2_ROOT_MAX;
    if (f->failed || !otf2_communicator_is_plain(f->definitions, index))
        return;
    uint32_t completion = fold_last_record(f);
    if (arrival == LP_NONE)
        arrival = completion;
    f->records.items[arrival].tag = completion;
    uint32_t before = fold_channel_last(f, CHANNEL_COLLECTIVE, index, 0, 0);
    fold_append(f, arrival, CHANNEL_COLLECTIVE, index, 0, 0, before == LP_NONE || before < arrival);
}

OTF2_EVENT(on_collective_end, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
           uint64_t received)
{
    EVENT_BEGIN;
    (void)sent;
    (void)received;
    struct otf2_frame *top = f->top;
    complete_collective(f, time, operation, communicator, root, top->arrival);
    top->flags &= ~(uint32_t)FRAME_SYNCHRONISES;
    top->arrival = LP_NONE;
    EVENT_END;
}

OTF2_EVENT(on_nonblocking_collective_request, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    fold_push_point(f, LP_NODE_ARRIVAL, time);
    fold_map_put(f, &f->collective_requests, request, fold_last_record(f));
    EVENT_END;
}

OTF2_EVENT(on_nonblocking_collective_complete, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
           uint64_t sent, uint64_t received, uint64_t request)
{
    EVENT_BEGIN;
    (void)sent;
    (void)received;
    uint32_t arrival = lp_map_get(&f->collective_requests, request);
    lp_map_remove(&f->collective_requests, request);
    fold_interrupt_collective(f);
    complete_collective(f, time, operation, communicator, root, arrival);
    EVENT_END;
}

void otf2_register_mpi(OTF2_EvtReaderCallbacks *callbacks)
{
    FOLD_SET(MpiSend, otf2_on_send);
    FOLD_SET(MpiIsend, otf2_on_isend);
    FOLD_SET(MpiIsendComplete, otf2_on_isend_complete);
    FOLD_SET(MpiIrecvRequest, otf2_on_irecv_request);
    FOLD_SET(MpiRecv, otf2_on_receive);
    FOLD_SET(MpiIrecv, otf2_on_irecv);
    FOLD_SET(MpiRequestCancelled, otf2_on_request_cancelled);
    FOLD_SET(MpiCollectiveBegin, otf2_on_collective_begin);
    FOLD_SET(MpiCollectiveEnd, otf2_on_collective_end);
    FOLD_SET(NonBlockingCollectiveRequest, otf2_on_nonblocking_collective_request);
    FOLD_SET(NonBlockingCollectiveComplete, otf2_on_nonblocking_collective_complete);
}
