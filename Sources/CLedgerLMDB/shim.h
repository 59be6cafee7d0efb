#ifndef CLEDGER_LMDB_SHIM_H
#define CLEDGER_LMDB_SHIM_H

#include <lmdb.h>

#endif
