#ifndef CLEDGER_SHA256_H
#define CLEDGER_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
typedef struct {
  /// The hash of the whole blocks so far.
  uint32_t state[8];
  /// The number of bytes so far.
  uint64_t length;
  /// The bytes after the last whole block: the first `length` modulo 64 of these.
  uint8_t rest[64];
} cledger_sha256;

/// The state before the first byte.
void cledger_sha256_init(cledger_sha256 *hash);

/// Adds `length` bytes, with the processor's instructions where it has them.
void cledger_sha256_update(cledger_sha256 *hash, const void *bytes, size_t length);

/// Writes the 32 bytes of the hash. The state is of no use afterwards.
void cledger_sha256_finish(cledger_sha256 *hash, uint8_t *result);

/// Adds `count` blocks of 64 bytes to a state, with the processor's instructions where it has them.
void cledger_sha256_add_blocks(uint32_t *state, const uint8_t *blocks, size_t count);

/// The same in plain C, on any processor.
void cledger_sha256_add_blocks_portable(uint32_t *state, const uint8_t *blocks, size_t count);

/// The 64 round constants (FIPS 180-4, 4.2.2).
extern const uint32_t cledger_sha256_constants[64];

#endif
