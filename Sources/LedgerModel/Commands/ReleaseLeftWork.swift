/// Gives back attempts whose session has ended without that.
///
/// A session that ends, or is found dead, gives its attempts back in the same commit. But a build that does not know
/// work may have recorded the death.
package struct ReleaseLeftWork: Command {
  package let ids: [PromiseID]

  package init(_ ids: [PromiseID]) {
    self.ids = ids
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    for id in ids { needs.ids.insert(id.entityID) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    for id in ids {
      guard let work = try decision.readablePromise(id), let progress = work.progress,
        let session = progress.runningSession, work.status == .pending,
        (try? decision.requireWritable(id.entityID)) != nil,
        try decision.session(session)?.isEnded ?? true
      else { continue }
      try decision.giveBack(id, progress.attempt, .died)
    }
  }
}
