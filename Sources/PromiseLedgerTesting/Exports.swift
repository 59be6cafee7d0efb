@_exported public import LedgerRuntimeTesting
