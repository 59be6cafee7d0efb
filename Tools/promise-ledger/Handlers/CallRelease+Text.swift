import PromiseLedger

extension CallRelease {
  /// Why a call was given back, for people.
  var words: String { self == .notRunnable ? "not runnable" : "\(self)" }
}
