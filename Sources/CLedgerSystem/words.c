#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CLedgerSystem.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

uint32_t cledger_word_load(const uint32_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void cledger_word_store(uint32_t *word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// The read-modify-write operations are sequentially consistent: "I raised my flag, then looked" and
// "I changed the word, then looked at the flag" must not both miss each other.

uint32_t cledger_word_exchange(uint32_t *word, uint32_t value) {
  return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

uint32_t cledger_word_add(uint32_t *word, uint32_t amount) {
  return __atomic_fetch_add(word, amount, __ATOMIC_SEQ_CST);
}

bool cledger_word_compare_exchange(uint32_t *word, uint32_t expected, uint32_t desired) {
  return __atomic_compare_exchange_n(
      word, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

int cledger_word_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds, bool shared) {
  struct timespec timeout = {
      .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  int operation = shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;
  return syscall(SYS_futex, word, operation, expected, &timeout, 0, 0) == -1 ? errno : 0;
}

void cledger_word_wake(uint32_t *word, bool shared) {
  syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}

#elif defined(__APPLE__)
#include <os/clock.h>
#include <os/os_sync_wait_on_address.h>

int cledger_word_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds, bool shared) {
  if (nanoseconds <= 0) {  // a timeout of 0 is refused with EINVAL
    return cledger_word_load(word) == expected ? ETIMEDOUT : EAGAIN;
  }
  // Unlike a futex, a word that differs already counts as a wake-up.
  int result = os_sync_wait_on_address_with_timeout(
      word, expected, sizeof(*word),
      shared ? OS_SYNC_WAIT_ON_ADDRESS_SHARED : OS_SYNC_WAIT_ON_ADDRESS_NONE,
      OS_CLOCK_MACH_ABSOLUTE_TIME, (uint64_t)nanoseconds);
  return result < 0 ? errno : 0;
}

void cledger_word_wake(uint32_t *word, bool shared) {
  os_sync_wake_by_address_flags_t flags =
      shared ? OS_SYNC_WAKE_BY_ADDRESS_SHARED : OS_SYNC_WAKE_BY_ADDRESS_NONE;
  os_sync_wake_by_address_all(word, sizeof(*word), flags);
}

#else
#error "No way to wait on a word of shared memory is known on this platform"
#endif
