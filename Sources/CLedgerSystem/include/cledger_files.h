#ifndef CLEDGER_FILES_H
#define CLEDGER_FILES_H

#include <stdbool.h>
#include <stdint.h>

// Each returns 0 or an errno code, unless it says otherwise.

/// flock(2) without waiting; EWOULDBLOCK if another open file description holds it. Swift confuses
/// the function with the structure of the same name.
int cledger_flock_try(int descriptor, bool exclusive);
int cledger_flock_release(int descriptor);

/// Makes the first `length` bytes of a file exist on the disk without changing those that do, so
/// that a full disk is an error here and not a SIGBUS when a mapping is first written.
int cledger_reserve(int descriptor, int64_t length);

/// fsync(2), on Apple platforms down to the medium (F_FULLFSYNC) where the file system can.
int cledger_full_sync(int descriptor);

/// renameat(2) that fails with EEXIST instead of replacing anything; ENOTSUP where the file system
/// or the platform cannot. A directory may be AT_FDCWD.
int cledger_rename_exclusively(
    int from_directory, const char *from, int to_directory, const char *to);

/// The name in a `struct dirent`: its tail is shorter than the array that Swift would copy.
const char *cledger_entry_name(const void *entry);

#endif
