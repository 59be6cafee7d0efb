#ifndef CLEDGER_POSTGRESQL_SHIM_H
#define CLEDGER_POSTGRESQL_SHIM_H

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "libpq is too old: pipelines came with PostgreSQL 14. Install libpq 14 or newer."
#endif

/* Swift does not import macros that are characters. */
static inline int cledger_diagnostic_state(void) { return PG_DIAG_SQLSTATE; }
static inline int cledger_diagnostic_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int cledger_diagnostic_function(void) { return PG_DIAG_SOURCE_FUNCTION; }

#endif
