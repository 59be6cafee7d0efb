#include "CLedgerBytes.h"

#include <pthread.h>
#include <string.h>

// Slicing by 8: Kounavis and Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
// Generation", 2008. The tables are computed once, because 8 KiB of numbers in a source file cannot
// be reviewed.

static const uint32_t polynomial = 0x82F63B78u;  // Castagnoli, lowest power in the highest bit
static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (polynomial & (0u - (crc & 1u)));
    tables[0][byte] = crc;
  }
  for (int slice = 1; slice < 8; slice++) {
    for (int byte = 0; byte < 256; byte++) {
      uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
}

static inline uint32_t load_little_endian(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t cledger_crc32c_portable(uint32_t crc, const void *bytes, size_t length) {
  pthread_once(&tables_once, make_tables);
  const uint8_t *p = bytes;
  crc = ~crc;
  for (; length >= 8; p += 8, length -= 8) {
    uint32_t low = crc ^ load_little_endian(p);
    uint32_t high = load_little_endian(p + 4);
    crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^
          tables[4][low >> 24] ^ tables[3][high & 0xFF] ^ tables[2][(high >> 8) & 0xFF] ^
          tables[1][(high >> 16) & 0xFF] ^ tables[0][high >> 24];
  }
  for (; length > 0; p++, length--) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xFF];
  return ~crc;
}
