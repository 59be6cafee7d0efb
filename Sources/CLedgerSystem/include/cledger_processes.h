#ifndef CLEDGER_PROCESSES_H
#define CLEDGER_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What Apple platforms tell of processes by sysctl(3); Linux has /proc instead.

/// The UUID of this start of the machine, as text; false where it is not to be had.
bool cledger_boot_session(char *buffer, size_t capacity);

/// When a process started, in microseconds since 1970; 0 where it is not to be had.
uint64_t cledger_process_start(int32_t process);

#endif
