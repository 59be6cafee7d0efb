import LedgerLocks

/// A value that only the thread that wrapped it can get at: so what must stay on its thread can be held
/// by something that may go anywhere.
///
/// The value may be let go of on any thread.
package struct ThreadConfined<Value>: @unchecked Sendable {
  // Unchecked because the value is handed out on its own thread only.
  private let confined: Value
  private let thread = ThreadIdentity.current

  package init(_ value: Value) {
    confined = value
  }

  /// `nil` on every other thread.
  package var value: Value? { thread == .current ? confined : nil }
}
