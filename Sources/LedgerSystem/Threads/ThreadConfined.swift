import LedgerLocks

/// A value that is accessible only on the thread that wrapped it. A value that must stay on its
/// thread can thus be held by an object that may go anywhere.
///
/// The value may be released on any thread.
package struct ThreadConfined<Value>: @unchecked Sendable {
  // Unchecked because the value is only handed out on its own thread.
  private let confined: Value
  private let thread = ThreadIdentity.current

  package init(_ value: Value) {
    confined = value
  }

  /// `nil` on every other thread.
  package var value: Value? { thread == .current ? confined : nil }
}
