#ifndef CLEDGER_LMDB_SHIM_H
#define CLEDGER_LMDB_SHIM_H

#include <lmdb.h>

/* Swift's Glibc module lacks statfs, which tells a network file system from a local one. */
#ifdef __linux__
#include <sys/statfs.h>
#endif

#endif
