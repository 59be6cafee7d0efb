#ifndef CLEDGER_THREADS_H
#define CLEDGER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// pthreads behind an integer handle, because pthread_t is a number on Linux and a pointer on Apple.

/// Starts `body(context)` on a new thread; 0 or an errno code.
int cledger_thread_start(
    uintptr_t *handle, size_t stack_bytes, void (*body)(void *), void *context);
/// The stack in bytes of a thread that is started without saying how much, as Swift's own are.
size_t cledger_thread_default_stack(void);
int cledger_thread_join(uintptr_t handle);
void cledger_thread_detach(uintptr_t handle);
bool cledger_thread_is_current(uintptr_t handle);

/// Names the calling thread, cut to what the platform shows (15 bytes on Linux).
void cledger_thread_set_name(const char *name);

#endif
