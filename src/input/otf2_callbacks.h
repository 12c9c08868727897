/* The event callbacks that the decoder (otf2_decode.c) calls as well.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_CALLBACKS_H
#define LP_INPUT_OTF2_CALLBACKS_H

#include <otf2/otf2.h>

#define OTF2_EVENT(name, ...)                                                                                     \
    OTF2_CallbackCode otf2_##name(OTF2_LocationRef location, OTF2_TimeStamp stamp, uint64_t position, void *user, \
                                  OTF2_AttributeList *attributes, ##__VA_ARGS__)

OTF2_EVENT(on_program_begin, OTF2_StringRef name, uint32_t count, const OTF2_StringRef *arguments);
OTF2_EVENT(on_send, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length);
OTF2_EVENT(on_isend, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request);
OTF2_EVENT(on_isend_complete, uint64_t request);
OTF2_EVENT(on_irecv_request, uint64_t request);
OTF2_EVENT(on_receive, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length);
OTF2_EVENT(on_irecv, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request);
OTF2_EVENT(on_request_cancelled, uint64_t request);
OTF2_EVENT(on_collective_begin);
OTF2_EVENT(on_collective_end, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
           uint64_t received);
OTF2_EVENT(on_nonblocking_collective_request, uint64_t request);
OTF2_EVENT(on_nonblocking_collective_complete, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
           uint64_t sent, uint64_t received, uint64_t request);
OTF2_EVENT(on_acquire_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order);
OTF2_EVENT(on_release_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order);
OTF2_EVENT(on_thread_create, OTF2_CommRef contingent, uint64_t number);
OTF2_EVENT(on_thread_begin, OTF2_CommRef contingent, uint64_t number);
OTF2_EVENT(on_thread_end, OTF2_CommRef contingent, uint64_t number);
OTF2_EVENT(on_thread_wait, OTF2_CommRef contingent, uint64_t number);
OTF2_EVENT(on_fork, OTF2_Paradigm model, uint32_t requested);
OTF2_EVENT(on_join, OTF2_Paradigm model);
OTF2_EVENT(on_team_begin, OTF2_CommRef team);
OTF2_EVENT(on_team_end, OTF2_CommRef team);
OTF2_EVENT(on_task_create, OTF2_CommRef team, uint32_t thread, uint32_t generation);
OTF2_EVENT(on_task_switch, OTF2_CommRef team, uint32_t thread, uint32_t generation);
OTF2_EVENT(on_task_complete, OTF2_CommRef team, uint32_t thread, uint32_t generation);

#endif
