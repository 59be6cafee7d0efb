#ifndef CLEDGER_BYTES_H
#define CLEDGER_BYTES_H

// Checksums and hashes that use processor instructions for which Swift has no names.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720) of `length` bytes, continuing from `crc` (0 for a new one).
/// It uses the processor's instructions where available.
uint32_t cledger_crc32c(uint32_t crc, const void *bytes, size_t length);

/// CRC-32C of the 8 little-endian bytes of `key` followed by `length` bytes.
uint32_t cledger_crc32c_keyed(uint64_t key, const void *bytes, size_t length);

/// The same checksum, computed with tables only, on any processor.
uint32_t cledger_crc32c_portable(uint32_t crc, const void *bytes, size_t length);

/// Whether `cledger_crc32c` uses the processor's instructions.
bool cledger_crc32c_is_hardware(void);

/// The state of a SHA-256 (FIPS 180-4) of bytes that arrive piece by piece.
typedef struct {
  /// The hash of the whole blocks so far.
  uint32_t state[8];
  /// The number of bytes so far.
  uint64_t length;
  /// The bytes after the last whole block: only the first `length` modulo 64 are used.
  uint8_t rest[64];
} cledger_sha256;

/// The state before the first byte.
void cledger_sha256_init(cledger_sha256 *hash);

/// Adds `length` bytes, using the processor's instructions where available.
void cledger_sha256_update(cledger_sha256 *hash, const void *bytes, size_t length);

/// Writes the 32 bytes of the hash. The state must not be used afterwards.
void cledger_sha256_finish(cledger_sha256 *hash, uint8_t *result);

/// Adds `count` blocks of 64 bytes to a state, using the processor's instructions where available.
void cledger_sha256_add_blocks(uint32_t *state, const uint8_t *blocks, size_t count);

/// The same in plain C, on any processor.
void cledger_sha256_add_blocks_portable(uint32_t *state, const uint8_t *blocks, size_t count);

/// The 64 round constants (FIPS 180-4, 4.2.2).
extern const uint32_t cledger_sha256_constants[64];

#endif
