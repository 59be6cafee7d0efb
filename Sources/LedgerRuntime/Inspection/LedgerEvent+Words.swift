extension LedgerEvent {
  /// The event in one line.
  package var words: String { "\(position) at \(time): \(kind) of \(subject)\(details)" }

  /// What the payload says, for the events of work and promises.
  private var details: String {
    do throws(LedgerError) {
      if let started = try decode(as: WorkStarted.self) { return ", attempt \(started.attempt)" }
      if let released = try decode(as: WorkReleased.self) {
        return ", attempt \(released.attempt), because: \(released.reason)"
      }
      if let step = try decode(as: WorkStepFinished.self) {
        return ", step \(step.step), \(step.outcome)"
      }
      if let created = try decode(as: PromiseCreated.self) {
        let kind = created.work.map { ", work of the kind \($0.kind)" } ?? ""
        return kind + (created.key.map { ", key \($0)" } ?? "")
      }
      if let resolved = try decode(as: PromiseResolved.self) { return ", \(resolved.outcome)" }
      return ""
    } catch {
      return ", which cannot be read: \(error)"
    }
  }
}
