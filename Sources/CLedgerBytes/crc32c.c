#include "CLedgerBytes.h"

#include <string.h>

// `hardware_update` works on the inverted checksum, like the instructions; the functions at the end
// of the file invert it.

#if defined(__x86_64__)
#include <immintrin.h>

#define HARDWARE __attribute__((target("sse4.2,pclmul")))
#define INLINE static inline __attribute__((always_inline))

static inline bool hardware_present(void) {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

HARDWARE INLINE uint64_t step8(uint64_t crc, const uint8_t *p) {
  uint64_t word;
  memcpy(&word, p, 8);
  return _mm_crc32_u64(crc, word);
}

// The instruction has a latency of 3 cycles and can be issued every cycle, so three checksums run
// in parallel over neighbouring stripes. Moving a checksum over the n bytes that follow it is a
// multiplication by x^(8n) modulo the polynomial; the constants are x^(8n - 33), because the
// carry-less product of two bit-reversed numbers gains one power, and the reducing CRC step 32.
HARDWARE INLINE uint64_t three_stripes(
    uint64_t first, const uint8_t *p, size_t stripe, uint32_t over_one, uint32_t over_two) {
  uint64_t second = 0, third = 0;
  for (size_t at = 0; at < stripe; at += 8) {
    first = step8(first, p + at);
    second = step8(second, p + stripe + at);
    third = step8(third, p + 2 * stripe + at);
  }
  __m128i moved_first = _mm_clmulepi64_si128(
      _mm_cvtsi64_si128((int64_t)first), _mm_cvtsi32_si128((int)over_two), 0);
  __m128i moved_second = _mm_clmulepi64_si128(
      _mm_cvtsi64_si128((int64_t)second), _mm_cvtsi32_si128((int)over_one), 0);
  uint64_t moved = (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(moved_first, moved_second));
  return _mm_crc32_u64(0, moved) ^ third;
}

HARDWARE static uint32_t hardware_update(uint32_t crc, const uint8_t *p, size_t length) {
  uint64_t wide = crc;
  for (; length >= 3 * 256; p += 3 * 256, length -= 3 * 256) {
    wide = three_stripes(wide, p, 256, 0xB9E02B86u, 0xDD7E3B0Cu);
  }
  for (; length >= 3 * 64; p += 3 * 64, length -= 3 * 64) {
    wide = three_stripes(wide, p, 64, 0x9E4ADDF8u, 0x0D3B6092u);
  }
  for (; length >= 8; p += 8, length -= 8) wide = step8(wide, p);
  uint32_t narrow = (uint32_t)wide;
  for (; length > 0; p++, length--) narrow = _mm_crc32_u8(narrow, *p);
  return narrow;
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static inline bool hardware_present(void) { return true; }

static uint32_t hardware_update(uint32_t crc, const uint8_t *p, size_t length) {
  for (; length >= 8; p += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    crc = __crc32cd(crc, word);
  }
  for (; length > 0; p++, length--) crc = __crc32cb(crc, *p);
  return crc;
}

#else

static inline bool hardware_present(void) { return false; }

static uint32_t hardware_update(uint32_t crc, const uint8_t *p, size_t length) {
  return ~cledger_crc32c_portable(~crc, p, length);
}

#endif

bool cledger_crc32c_is_hardware(void) { return hardware_present(); }

uint32_t cledger_crc32c(uint32_t crc, const void *bytes, size_t length) {
  if (!hardware_present()) return cledger_crc32c_portable(crc, bytes, length);
  return ~hardware_update(~crc, bytes, length);
}

uint32_t cledger_crc32c_keyed(uint64_t key, const void *bytes, size_t length) {
  uint8_t little_endian[8];
  for (int i = 0; i < 8; i++) little_endian[i] = (uint8_t)(key >> (8 * i));
  return cledger_crc32c(cledger_crc32c(0, little_endian, 8), bytes, length);
}
