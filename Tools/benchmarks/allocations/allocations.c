#include "allocations.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_bool is_counting;
static atomic_int_least64_t count;

void allocations_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, 1);
}

#if defined(__GLIBC__)

void *__libc_malloc(size_t size);

/* Takes the place of the C library's in the whole process. While it does not count, it costs one
   load, the same for every contestant. */
void *malloc(size_t size) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_malloc(size);
}

int64_t allocations_stop(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&count);
}

#else

int64_t allocations_stop(void) { return -1; }

#endif
