#ifndef CLEDGER_WORDS_H
#define CLEDGER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

// Atomics on 32-bit words that other processes map too. Functions, not inlined: the thread
// sanitizer instruments C functions, but not what Swift imports from a header.

uint32_t cledger_word_load(const uint32_t *word);
void cledger_word_store(uint32_t *word, uint32_t value);
uint32_t cledger_word_exchange(uint32_t *word, uint32_t value);
uint32_t cledger_word_add(uint32_t *word, uint32_t amount);
bool cledger_word_compare_exchange(uint32_t *word, uint32_t expected, uint32_t desired);

/// Sleeps while `*word == expected`, for at most `nanoseconds`. `shared` for words in shared memory.
/// 0: woken, perhaps for no reason. EAGAIN: the word differs. ETIMEDOUT. EINTR: a signal.
int cledger_word_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds, bool shared);

/// Wakes all threads that sleep on `word`.
void cledger_word_wake(uint32_t *word, bool shared);

#endif
