@_exported public import LedgerModel
