#ifndef CLEDGER_BYTES_H
#define CLEDGER_BYTES_H

// Checksums and hashes by the processor's own instructions, which Swift has no names for.

#include "cledger_crc32c.h"
#include "cledger_sha256.h"

#endif
