#include "baseline.h"

#include <CLedgerBytes.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
  MDB_env *env;
  MDB_dbi log;
  MDB_dbi tables[2];
};

int baseline_open(const char *path, baseline **out) {
  baseline *b = calloc(1, sizeof *b);
  MDB_txn *txn;
  int rc = mdb_env_create(&b->env);
  if (!rc) rc = mdb_env_set_maxdbs(b->env, 4);
  if (!rc) rc = mdb_env_set_mapsize(b->env, (size_t)1 << 40);
  if (!rc) rc = mdb_env_open(b->env, path, MDB_NOTLS, 0600);
  if (!rc) rc = mdb_txn_begin(b->env, NULL, 0, &txn);
  if (!rc) rc = mdb_dbi_open(txn, "log", MDB_CREATE | MDB_INTEGERKEY, &b->log);
  if (!rc) rc = mdb_dbi_open(txn, "first", MDB_CREATE, &b->tables[0]);
  if (!rc) rc = mdb_dbi_open(txn, "second", MDB_CREATE, &b->tables[1]);
  if (!rc) rc = mdb_txn_commit(txn);
  *out = b;
  return rc;
}

void baseline_close(baseline *b) {
  mdb_env_close(b->env);
  free(b);
}

int baseline_commit(baseline *b, const uint64_t *keys, const uint32_t *lengths, size_t count,
                    const uint8_t *bytes) {
  MDB_txn *txn;
  int rc = mdb_txn_begin(b->env, NULL, 0, &txn);
  if (rc) return rc;
  for (size_t i = 0; i < count; i++) {
    uint64_t k = keys[i];
    MDB_val key = {sizeof k, &k}, value = {lengths[i], (void *)bytes};
    rc = mdb_put(txn, b->log, &key, &value, MDB_APPEND);
    if (rc) {
      mdb_txn_abort(txn);
      return rc;
    }
    bytes += lengths[i];
  }
  return mdb_txn_commit(txn);
}

int baseline_put(baseline *b, const uint8_t *tables, const uint16_t *key_lengths,
                 const uint32_t *lengths, size_t count, const uint8_t *bytes) {
  MDB_txn *txn;
  int rc = mdb_txn_begin(b->env, NULL, 0, &txn);
  if (rc) return rc;
  for (size_t i = 0; i < count; i++) {
    MDB_val key = {key_lengths[i], (void *)bytes};
    bytes += key_lengths[i];
    MDB_val value = {lengths[i], (void *)bytes};
    bytes += lengths[i];
    rc = mdb_put(txn, b->tables[tables[i]], &key, &value, 0);
    if (rc) {
      mdb_txn_abort(txn);
      return rc;
    }
  }
  return mdb_txn_commit(txn);
}

int baseline_scan(baseline *b, uint64_t from, uint64_t *events, uint64_t *damaged) {
  MDB_txn *txn;
  MDB_cursor *cursor;
  int rc = mdb_txn_begin(b->env, NULL, MDB_RDONLY, &txn);
  if (rc) return rc;
  rc = mdb_cursor_open(txn, b->log, &cursor);
  if (rc) return rc;
  MDB_val key = {sizeof from, &from}, value;
  uint64_t seen = 0, bad = 0, sum = 0;
  for (rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE); rc == 0;
       rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
    const uint8_t *p = value.mv_data;
    uint32_t stored;
    memcpy(&stored, p, 4);
    uint32_t crc = cledger_crc32c(0, key.mv_data, 8);
    crc = cledger_crc32c(crc, p + 4, value.mv_size - 4);
    if (crc != stored) bad++;
    uint16_t count, length;
    memcpy(&count, p + 6, 2);
    size_t offset = 48;
    for (uint16_t i = 0; i < count && offset + 48 <= value.mv_size; i++) {
      uint64_t time, cause, high, low;
      memcpy(&length, p + offset, 2);
      memcpy(&time, p + offset + 16, 8);
      memcpy(&cause, p + offset + 24, 8);
      memcpy(&high, p + offset + 32, 8);
      memcpy(&low, p + offset + 40, 8);
      sum += time ^ cause ^ high ^ low;
      seen++;
      offset += length;
    }
  }
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  *events = seen + (sum == 1);
  *damaged = bad;
  return rc == MDB_NOTFOUND ? 0 : rc;
}
