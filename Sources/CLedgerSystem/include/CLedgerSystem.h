#ifndef CLEDGER_SYSTEM_H
#define CLEDGER_SYSTEM_H

// Functions that Swift cannot write or call by itself: atomics on shared memory, futexes, and
// system calls that its C library module lacks or imports awkwardly.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Files. Each function returns 0 or an errno code, unless it says otherwise.

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

/// The number of columns of the terminal behind a descriptor; 0 if it is no terminal, or has none.
int cledger_terminal_width(int descriptor);

// Facts about processes that Apple platforms report by sysctl(3); Linux has /proc instead.

/// The UUID of this start of the machine, as text; false where it is not available.
bool cledger_boot_session(char *buffer, size_t capacity);

/// The time when a process started, in microseconds since 1970; 0 where it is not available.
uint64_t cledger_process_start(int32_t process);

/// Adds to the actions and flags of posix_spawn(3) that the program inherits standard input, output
/// and error only. Without it, it inherits each descriptor that is not closed on exec, even one that
/// another thread opened just now. Returns 0 or an errno code; does nothing with a C library that
/// offers no way (musl, glibc before 2.34).
int cledger_inherit_standard_only(void *actions, short *flags);

// pthreads behind an integer handle, because pthread_t is a number on Linux and a pointer on Apple.

/// Starts `body(context)` on a new thread; 0 or an errno code.
int cledger_thread_start(
    uintptr_t *handle, size_t stack_bytes, void (*body)(void *), void *context);
/// The stack size in bytes of a thread that is started without specifying one, like Swift's own
/// threads.
size_t cledger_thread_default_stack(void);
int cledger_thread_join(uintptr_t handle);
void cledger_thread_detach(uintptr_t handle);
bool cledger_thread_is_current(uintptr_t handle);

/// Names the calling thread, cut to what the platform shows (15 bytes on Linux).
void cledger_thread_set_name(const char *name);

// Atomics on 32-bit words that other processes map too. They are functions and not inlined: the
// thread sanitizer instruments C functions, but not inline functions that Swift imports from a
// header.

uint32_t cledger_word_load(const uint32_t *word);
void cledger_word_store(uint32_t *word, uint32_t value);
uint32_t cledger_word_exchange(uint32_t *word, uint32_t value);
uint32_t cledger_word_add(uint32_t *word, uint32_t amount);
bool cledger_word_compare_exchange(uint32_t *word, uint32_t expected, uint32_t desired);

/// Sleeps while `*word == expected`, for at most `nanoseconds`. `shared` is for words in shared
/// memory. Returns 0 (woken, perhaps for no reason), EAGAIN (the word differs), ETIMEDOUT or EINTR
/// (a signal).
int cledger_word_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds, bool shared);

/// Wakes all threads that sleep on `word`.
void cledger_word_wake(uint32_t *word, bool shared);

// Notes that a signal came, instead of letting it do what it does; and whether one that is noted has come.
void cledger_note_signal(int signal);
bool cledger_signal_came(void);

#endif
