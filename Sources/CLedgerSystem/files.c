#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CLedgerSystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int try_flock(int descriptor, int operation) {
  while (flock(descriptor, operation) == -1) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int cledger_flock_try(int descriptor, bool exclusive) {
  return try_flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

int cledger_flock_release(int descriptor) { return try_flock(descriptor, LOCK_UN); }

static int extend(int descriptor, int64_t length) {
  struct stat status;
  if (fstat(descriptor, &status) == -1) return errno;
  if (status.st_size >= length) return 0;
  return ftruncate(descriptor, (off_t)length) == -1 ? errno : 0;
}

int cledger_reserve(int descriptor, int64_t length) {
#if defined(__linux__)
  int code;
  do code = posix_fallocate(descriptor, 0, (off_t)length);
  while (code == EINTR);
  if (code != EOPNOTSUPP) return code;
#endif
  return extend(descriptor, length);
}

int cledger_full_sync(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) != -1) return 0;
  // Network and some other file systems refuse it: fsync is the best that they offer.
#endif
  while (fsync(descriptor) == -1) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int cledger_rename_exclusively(
    int from_directory, const char *from, int to_directory, const char *to) {
#if defined(__linux__)
  if (renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE) == 0) return 0;
  return errno == EINVAL || errno == ENOSYS ? ENOTSUP : errno;
#elif defined(__APPLE__)
  return renameatx_np(from_directory, from, to_directory, to, RENAME_EXCL) == 0 ? 0 : errno;
#else
  return ENOTSUP;
#endif
}

const char *cledger_entry_name(const void *entry) { return ((const struct dirent *)entry)->d_name; }
