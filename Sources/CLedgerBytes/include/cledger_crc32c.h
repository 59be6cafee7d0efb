#ifndef CLEDGER_CRC32C_H
#define CLEDGER_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720) of `length` bytes, continuing from `crc` (0 for a new one),
/// with the processor's instructions where it has them.
uint32_t cledger_crc32c(uint32_t crc, const void *bytes, size_t length);

/// CRC-32C of the 8 little-endian bytes of `key` followed by `length` bytes.
uint32_t cledger_crc32c_keyed(uint64_t key, const void *bytes, size_t length);

/// The same checksum by tables alone, on any processor.
uint32_t cledger_crc32c_portable(uint32_t crc, const void *bytes, size_t length);

/// Whether `cledger_crc32c` uses the processor's instructions.
bool cledger_crc32c_is_hardware(void);

#endif
