#include "CLedgerSystem.h"

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
