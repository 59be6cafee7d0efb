@_exported public import LedgerRuntime
