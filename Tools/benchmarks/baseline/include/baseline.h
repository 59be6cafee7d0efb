#ifndef LEDGER_BASELINE_H
#define LEDGER_BASELINE_H

#include <stddef.h>
#include <stdint.h>

/* The floor: the work of plain C with liblmdb, and nothing else. Each call returns 0 or an error. */

typedef struct baseline baseline;

/// Opens an environment with one table with integer keys, durable as LMDB is by default.
int baseline_open(const char *path, baseline **out);
void baseline_close(baseline *b);

/// Appends `count` frames in one durable transaction. Frame i has `lengths[i]` bytes; they are
/// stored one after the other in `bytes`.
int baseline_commit(baseline *b, const uint64_t *keys, const uint32_t *lengths, size_t count,
                    const uint8_t *bytes);

/// Puts `count` entries in one durable transaction. Entry i goes into table `tables[i]`, 0 or 1,
/// with a key of `key_lengths[i]` bytes; keys and values are stored one after the other in `bytes`.
int baseline_put(baseline *b, const uint8_t *tables, const uint16_t *key_lengths,
                 const uint32_t *lengths, size_t count, const uint8_t *bytes);

/// Reads every frame after `key`, checks its CRC-32C and walks over its events.
int baseline_scan(baseline *b, uint64_t key, uint64_t *events, uint64_t *damaged);

#endif
