import LedgerRuntime

extension HandlerCallReleased.Reason {
  /// The reason why a call was given back, for people.
  var words: String { self == .notRunnable ? "not runnable" : "\(self)" }
}
