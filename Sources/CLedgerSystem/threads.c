#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CLedgerSystem.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

int cledger_thread_start(
    uintptr_t *handle, size_t stack_bytes, void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof(*start));
  if (start == NULL) return ENOMEM;
  *start = (struct start){.body = body, .context = context};

  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code == 0) {
    code = pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_t thread;
    if (code == 0) code = pthread_create(&thread, &attributes, run, start);
    if (code == 0) *handle = (uintptr_t)thread;
    pthread_attr_destroy(&attributes);
  }
  if (code != 0) free(start);
  return code;
}

size_t cledger_thread_default_stack(void) {
  pthread_attr_t attributes;
  size_t bytes = 0;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

int cledger_thread_join(uintptr_t handle) { return pthread_join((pthread_t)handle, NULL); }

void cledger_thread_detach(uintptr_t handle) { pthread_detach((pthread_t)handle); }

bool cledger_thread_is_current(uintptr_t handle) {
  return pthread_equal(pthread_self(), (pthread_t)handle) != 0;
}

void cledger_thread_set_name(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  char cut[16];  // Linux refuses longer names instead of cutting them
  strncpy(cut, name, sizeof(cut) - 1);
  cut[sizeof(cut) - 1] = 0;
  pthread_setname_np(pthread_self(), cut);
#endif
}
