#ifndef CLEDGER_SYSTEM_H
#define CLEDGER_SYSTEM_H

// What Swift cannot write or call by itself: atomics on shared memory, futexes, and system
// calls that its C library module lacks or imports awkwardly.

#include "cledger_files.h"
#include "cledger_processes.h"
#include "cledger_threads.h"
#include "cledger_words.h"

#endif
