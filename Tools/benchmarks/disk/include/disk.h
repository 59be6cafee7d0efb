#ifndef BENCHMARKS_DISK_H
#define BENCHMARKS_DISK_H

#include <stddef.h>
#include <stdint.h>

// What plain C gets from the disk: the floor under all contestants.

typedef struct log_store log_store;

// Opens a store of LMDB in an existing directory. Returns 0 or an error of LMDB.
int log_store_open(const char *path, log_store **out);
void log_store_close(log_store *store);
// Appends that many events of so many bytes, in one durable commit, behind those of all processes.
int log_store_commit(log_store *store, size_t count, size_t byte_count);

// Opens a file of one written block. Returns its descriptor, or -1.
int flush_file_open(const char *path);
// Overwrites its first 512 bytes and waits for the disk. Returns 0 or -1.
int flush_file_overwrite(int descriptor);
void flush_file_close(int descriptor);

#endif
