#include "CLedgerBytes.h"

#include <stdbool.h>
#include <string.h>

// A cryptography library is too expensive: for this one hash, it took 377 of the 404 steps of a
// release build and two thirds of the first build of every program that uses the ledger. Apple's
// systems come with CryptoKit, so this file is not used there.

#if defined(__x86_64__)
#include <immintrin.h>

#define HARDWARE __attribute__((target("sha,sse4.1")))

// CPUID.(EAX=7, ECX=0):EBX, bit 29. Not every supported compiler knows the name "sha".
#include <cpuid.h>
static bool hardware_present(void) {
  static int known = -1;
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer < 0) {
    unsigned eax, ebx, ecx, edx;
    answer = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx >> 29 & 1) &&
             __builtin_cpu_supports("sse4.1");
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer;
}

// The instructions keep the state in two vectors, with the words A, B, E, F and C, D, G, H.
HARDWARE static void hardware_add_blocks(uint32_t *state, const uint8_t *p, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  for (; count > 0; p += 64, count--) {
    __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; i++) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), big_endian);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      const __m128i *constants = (const __m128i *)(cledger_sha256_constants + 4 * i);
      __m128i sum = _mm_add_epi32(w[i & 3], _mm_loadu_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      if (i < 12) {
        __m128i newest = w[(i + 3) & 3];
        __m128i next = _mm_add_epi32(
            _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
            _mm_alignr_epi8(newest, w[(i + 2) & 3], 4));
        w[i & 3] = _mm_sha256msg2_epu32(next, newest);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#elif defined(__aarch64__) && defined(__linux__)
#include <arm_neon.h>
#include <sys/auxv.h>

#define HARDWARE __attribute__((target("sha2")))

static bool hardware_present(void) {
  const unsigned long has_sha2 = 1ul << 6;  // HWCAP_SHA2
  return (getauxval(AT_HWCAP) & has_sha2) != 0;
}

HARDWARE static void hardware_add_blocks(uint32_t *state, const uint8_t *p, size_t count) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; count > 0; p += 64, count--) {
    uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; i++) {
      w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p + 16 * i)));
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      uint32x4_t sum = vaddq_u32(w[i & 3], vld1q_u32(cledger_sha256_constants + 4 * i));
      uint32x4_t abcd_then = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcd_then, sum);
      if (i < 12) {
        w[i & 3] = vsha256su1q_u32(
            vsha256su0q_u32(w[i & 3], w[(i + 1) & 3]), w[(i + 2) & 3], w[(i + 3) & 3]);
      }
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#else

static bool hardware_present(void) { return false; }

static void hardware_add_blocks(uint32_t *state, const uint8_t *p, size_t count) {
  cledger_sha256_add_blocks_portable(state, p, count);
}

#endif

void cledger_sha256_add_blocks(uint32_t *state, const uint8_t *blocks, size_t count) {
  if (hardware_present()) {
    hardware_add_blocks(state, blocks, count);
  } else {
    cledger_sha256_add_blocks_portable(state, blocks, count);
  }
}

void cledger_sha256_init(cledger_sha256 *hash) {
  static const uint32_t initial[8] = {
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };
  memcpy(hash->state, initial, sizeof initial);
  hash->length = 0;
}

void cledger_sha256_update(cledger_sha256 *hash, const void *bytes, size_t length) {
  if (length == 0) return;
  const uint8_t *p = bytes;
  size_t used = hash->length % 64;
  hash->length += length;
  if (used > 0) {
    size_t missing = 64 - used;
    if (length < missing) {
      memcpy(hash->rest + used, p, length);
      return;
    }
    memcpy(hash->rest + used, p, missing);
    cledger_sha256_add_blocks(hash->state, hash->rest, 1);
    p += missing;
    length -= missing;
  }
  if (length >= 64) cledger_sha256_add_blocks(hash->state, p, length / 64);
  memcpy(hash->rest, p + length / 64 * 64, length % 64);
}

void cledger_sha256_finish(cledger_sha256 *hash, uint8_t *result) {
  uint64_t bits = hash->length * 8;
  size_t used = hash->length % 64;
  // A one bit, zeros up to the last 8 bytes of a block, and the number of bits in these.
  uint8_t blocks[128] = {0};
  memcpy(blocks, hash->rest, used);
  blocks[used] = 0x80;
  size_t count = used < 56 ? 1 : 2;
  for (int i = 0; i < 8; i++) blocks[64 * count - 1 - i] = (uint8_t)(bits >> (8 * i));
  cledger_sha256_add_blocks(hash->state, blocks, count);
  for (int i = 0; i < 32; i++) result[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
