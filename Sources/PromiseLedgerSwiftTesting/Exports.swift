@_exported public import PromiseLedgerTesting
