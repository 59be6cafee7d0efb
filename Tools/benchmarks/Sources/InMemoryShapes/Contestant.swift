/// One way of doing a shape of work.
package struct Contestant {
  package enum Kind {
    /// This library in its usual form; the bar applies to it.
    case judged
    /// This library in another form.
    case other
    /// A library whose callbacks run later, as ours do.
    case peer
    /// A library whose callbacks run inside the call that settles, which is less work.
    case inlinePeer
  }

  package let name: String
  package let kind: Kind
  /// Does the work once, and returns when the last callback has run.
  let run: () -> Void

  init(_ name: String, _ kind: Kind, run: @escaping () -> Void) {
    self.name = name
    self.kind = kind
    self.run = run
  }
}
