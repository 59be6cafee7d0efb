/// The work whose code wants a child, a joint or a promise of its own.
struct WorkParent: Sendable {
  let id: PromiseID
  let attempt: UInt32
}
