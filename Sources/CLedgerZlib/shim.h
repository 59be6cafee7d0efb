#ifndef CLEDGER_ZLIB_SHIM_H
#define CLEDGER_ZLIB_SHIM_H

#include <string.h>
#include <zlib.h>

/* zlib begins a stream by macros, which Swift does not import. Adding 16 to the size of the window
   chooses the gzip format. */

static inline int cledger_begin_gzip(z_stream *stream, int level) {
  memset(stream, 0, sizeof *stream);
  return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int cledger_begin_gunzip(z_stream *stream) {
  memset(stream, 0, sizeof *stream);
  return inflateInit2(stream, MAX_WBITS + 16);
}

#endif
