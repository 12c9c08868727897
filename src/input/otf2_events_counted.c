/* Records that are read and counted, but not modelled. Each callback has the exact type of its record.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_fold.h"

const char *const otf2_unmodelled_names[] = {
#define X(name) #name,
    OTF2_UNMODELLED(X)
#undef X
};

#define COUNTED(record, ...)                         \
    EVENT(count_##record, ##__VA_ARGS__)             \
    {                                                \
        EVENT_BEGIN;                                 \
        (void)time;                                  \
        f->counts.unmodelled[UNMODELLED_##record]++; \
        EVENT_END;                                   \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
COUNTED(Unknown)
COUNTED(MeasurementOnOff, OTF2_MeasurementMode mode)
COUNTED(MpiRequestTest, uint64_t request)
COUNTED(OmpFork, uint32_t threads)
COUNTED(OmpJoin)
COUNTED(OmpTaskCreate, uint64_t task)
COUNTED(OmpTaskSwitch, uint64_t task)
COUNTED(OmpTaskComplete, uint64_t task)
COUNTED(ParameterString, OTF2_ParameterRef parameter, OTF2_StringRef value)
COUNTED(ParameterInt, OTF2_ParameterRef parameter, int64_t value)
COUNTED(ParameterUnsignedInt, OTF2_ParameterRef parameter, uint64_t value)
COUNTED(RmaWinCreate, OTF2_RmaWinRef window)
COUNTED(RmaWinDestroy, OTF2_RmaWinRef window)
COUNTED(RmaCollectiveBegin)
COUNTED(RmaCollectiveEnd, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
        uint64_t sent, uint64_t received)
COUNTED(RmaGroupSync, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
COUNTED(RmaRequestLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaAcquireLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaTryLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaReleaseLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
COUNTED(RmaSync, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type)
COUNTED(RmaWaitChange, OTF2_RmaWinRef window)
COUNTED(RmaPut, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
COUNTED(RmaGet, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
COUNTED(RmaAtomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
        uint64_t id)
COUNTED(RmaOpCompleteBlocking, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpCompleteNonBlocking, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpTest, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpCompleteRemote, OTF2_RmaWinRef window, uint64_t id)
COUNTED(IoCreateHandle, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
        OTF2_IoStatusFlag status)
COUNTED(IoDestroyHandle, OTF2_IoHandleRef handle)
COUNTED(IoDuplicateHandle, OTF2_IoHandleRef old, OTF2_IoHandleRef new, OTF2_IoStatusFlag status)
COUNTED(IoSeek, OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence, uint64_t result)
COUNTED(IoChangeStatusFlags, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status)
COUNTED(IoDeleteFile, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
COUNTED(IoOperationBegin, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
        uint64_t bytes, uint64_t id)
COUNTED(IoOperationTest, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoOperationIssued, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoOperationComplete, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
COUNTED(IoOperationCancelled, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoAcquireLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(IoReleaseLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(IoTryLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(CommCreate, OTF2_CommRef communicator)
COUNTED(CommDestroy, OTF2_CommRef communicator)
#pragma GCC diagnostic pop

void otf2_register_counted(OTF2_EvtReaderCallbacks *callbacks)
{
    FOLD_SET(Unknown, count_Unknown);
    FOLD_SET(MeasurementOnOff, count_MeasurementOnOff);
    FOLD_SET(MpiRequestTest, count_MpiRequestTest);
    FOLD_SET(OmpFork, count_OmpFork);
    FOLD_SET(OmpJoin, count_OmpJoin);
    FOLD_SET(OmpTaskCreate, count_OmpTaskCreate);
    FOLD_SET(OmpTaskSwitch, count_OmpTaskSwitch);
    FOLD_SET(OmpTaskComplete, count_OmpTaskComplete);
    FOLD_SET(ParameterString, count_ParameterString);
    FOLD_SET(ParameterInt, count_ParameterInt);
    FOLD_SET(ParameterUnsignedInt, count_ParameterUnsignedInt);
    FOLD_SET(RmaWinCreate, count_RmaWinCreate);
    FOLD_SET(RmaWinDestroy, count_RmaWinDestroy);
    FOLD_SET(RmaCollectiveBegin, count_RmaCollectiveBegin);
    FOLD_SET(RmaCollectiveEnd, count_RmaCollectiveEnd);
    FOLD_SET(RmaGroupSync, count_RmaGroupSync);
    FOLD_SET(RmaRequestLock, count_RmaRequestLock);
    FOLD_SET(RmaAcquireLock, count_RmaAcquireLock);
    FOLD_SET(RmaTryLock, count_RmaTryLock);
    FOLD_SET(RmaReleaseLock, count_RmaReleaseLock);
    FOLD_SET(RmaSync, count_RmaSync);
    FOLD_SET(RmaWaitChange, count_RmaWaitChange);
    FOLD_SET(RmaPut, count_RmaPut);
    FOLD_SET(RmaGet, count_RmaGet);
    FOLD_SET(RmaAtomic, count_RmaAtomic);
    FOLD_SET(RmaOpCompleteBlocking, count_RmaOpCompleteBlocking);
    FOLD_SET(RmaOpCompleteNonBlocking, count_RmaOpCompleteNonBlocking);
    FOLD_SET(RmaOpTest, count_RmaOpTest);
    FOLD_SET(RmaOpCompleteRemote, count_RmaOpCompleteRemote);
    FOLD_SET(IoCreateHandle, count_IoCreateHandle);
    FOLD_SET(IoDestroyHandle, count_IoDestroyHandle);
    FOLD_SET(IoDuplicateHandle, count_IoDuplicateHandle);
    FOLD_SET(IoSeek, count_IoSeek);
    FOLD_SET(IoChangeStatusFlags, count_IoChangeStatusFlags);
    FOLD_SET(IoDeleteFile, count_IoDeleteFile);
    FOLD_SET(IoOperationBegin, count_IoOperationBegin);
    FOLD_SET(IoOperationTest, count_IoOperationTest);
    FOLD_SET(IoOperationIssued, count_IoOperationIssued);
    FOLD_SET(IoOperationComplete, count_IoOperationComplete);
    FOLD_SET(IoOperationCancelled, count_IoOperationCancelled);
    FOLD_SET(IoAcquireLock, count_IoAcquireLock);
    FOLD_SET(IoReleaseLock, count_IoReleaseLock);
    FOLD_SET(IoTryLock, count_IoTryLock);
    FOLD_SET(CommCreate, count_CommCreate);
    FOLD_SET(CommDestroy, count_CommDestroy);
}
