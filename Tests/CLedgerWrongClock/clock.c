#if defined(__linux__)
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t shift;

__attribute__((constructor)) static void read_shift(void) {
  const char *text = getenv("WORKER_CLOCK_SHIFT");
  if (text) shift = (time_t)atoll(text);
}

// A function of the program takes the place of the C library's.
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift;
  return result;
}
#endif
