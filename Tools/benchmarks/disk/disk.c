#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct log_store {
  MDB_env *env;
  MDB_dbi log;
  unsigned char event[4000];
};

int log_store_open(const char *path, log_store **out) {
  log_store *store = calloc(1, sizeof *store);
  if (!store) return ENOMEM;
  MDB_txn *txn = NULL;
  int rc = mdb_env_create(&store->env);
  if (!rc) rc = mdb_env_set_maxdbs(store->env, 1);
  if (!rc) rc = mdb_env_set_mapsize(store->env, (size_t)1 << 36);
  if (!rc) rc = mdb_env_open(store->env, path, MDB_NOTLS, 0600);
  if (!rc) rc = mdb_txn_begin(store->env, NULL, 0, &txn);
  if (!rc) {
    rc = mdb_dbi_open(txn, "log", MDB_CREATE | MDB_INTEGERKEY, &store->log);
    if (rc) mdb_txn_abort(txn);
  }
  if (!rc) rc = mdb_txn_commit(txn);
  if (rc) {
    log_store_close(store);
    return rc;
  }
  memset(store->event, 7, sizeof store->event);
  *out = store;
  return 0;
}

void log_store_close(log_store *store) {
  mdb_env_close(store->env);
  free(store);
}

static int append(log_store *store, MDB_txn *txn, size_t count, size_t byte_count) {
  MDB_cursor *cursor;
  MDB_val key, value;
  uint64_t next = 0;
  int rc = mdb_cursor_open(txn, store->log, &cursor);
  if (rc) return rc;
  rc = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
  mdb_cursor_close(cursor);
  if (!rc) {
    memcpy(&next, key.mv_data, sizeof next);
    next++;
  } else if (rc != MDB_NOTFOUND) {
    return rc;
  }
  // As the ledger does, events that are committed together share values of up to a page.
  size_t per_value = byte_count ? sizeof store->event / byte_count : 0;
  if (!per_value) return EINVAL;
  for (size_t done = 0; done < count;) {
    size_t some = count - done < per_value ? count - done : per_value;
    MDB_val next_key = {sizeof next, &next}, events = {some * byte_count, store->event};
    rc = mdb_put(txn, store->log, &next_key, &events, MDB_APPEND);
    if (rc) return rc;
    next += some;
    done += some;
  }
  return 0;
}

int log_store_commit(log_store *store, size_t count, size_t byte_count) {
  MDB_txn *txn;
  int rc = mdb_txn_begin(store->env, NULL, 0, &txn);
  if (rc) return rc;
  rc = append(store, txn, count, byte_count);
  if (rc) {
    mdb_txn_abort(txn);
    return rc;
  }
  return mdb_txn_commit(txn);
}

int flush_file_open(const char *path) {
  static const char block[4096];
  int descriptor = open(path, O_RDWR | O_CREAT | O_DSYNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  if (pwrite(descriptor, block, sizeof block, 0) != (ssize_t)sizeof block) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

int flush_file_overwrite(int descriptor) {
  static unsigned char sector[512];
  sector[0]++;
  return pwrite(descriptor, sector, sizeof sector, 0) == (ssize_t)sizeof sector ? 0 : -1;
}

void flush_file_close(int descriptor) { close(descriptor); }
