#ifndef BENCHMARK_ALLOCATIONS_H
#define BENCHMARK_ALLOCATIONS_H

#include <stdint.h>

/// Counts calls of malloc, by every thread, from now on.
void allocations_start(void);

/// Ends counting. Returns the number of calls, or -1 where they cannot be counted.
int64_t allocations_stop(void);

#endif
