#ifndef CLEDGER_LMDB_SHIM_H
#define CLEDGER_LMDB_SHIM_H

#include <lmdb.h>

/* Swift's Glibc module lacks statfs, which tells a network file system from a local one, and
   fallocate, which reserves blocks behind the end of a file. */
#ifdef __linux__
#include <sys/statfs.h>
int fallocate(int descriptor, int mode, off_t offset, off_t length);
#endif

#endif
