#ifndef CLEDGER_SYSTEM_H
#define CLEDGER_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `length` bytes, continuing from `crc` (0 for a new one).
uint32_t cledger_crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
