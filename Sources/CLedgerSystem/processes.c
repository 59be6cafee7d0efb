#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CLedgerSystem.h"

#include <spawn.h>

int cledger_inherit_standard_only(void *actions, short *flags) {
#if defined(__APPLE__)
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return posix_spawn_file_actions_addinherit_np(actions, 2);
#elif defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
  (void)actions;
  (void)flags;
  return 0;
#endif
}

#ifdef __APPLE__
#include <sys/sysctl.h>

bool cledger_boot_session(char *buffer, size_t capacity) {
  size_t length = capacity;
  return sysctlbyname("kern.bootsessionuuid", buffer, &length, NULL, 0) == 0;
}

uint64_t cledger_process_start(int32_t process) {
  int name[4] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, process};
  struct kinfo_proc info;
  size_t length = sizeof(info);
  if (sysctl(name, 4, &info, &length, NULL, 0) != 0 || length < sizeof(info)) return 0;
  struct timeval start = info.kp_proc.p_starttime;
  return (uint64_t)start.tv_sec * 1000000 + (uint64_t)start.tv_usec;
}
#else
bool cledger_boot_session(char *buffer, size_t capacity) {
  (void)buffer;
  (void)capacity;
  return false;
}

uint64_t cledger_process_start(int32_t process) {
  (void)process;
  return 0;
}
#endif
