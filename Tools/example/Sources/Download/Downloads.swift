import LedgerPromises
import PromiseLedger

/// Downloads each picture once, however often the app is killed.
struct Downloads: Sendable {
  let ledger: Ledger
  let server = FlakyServer()

  /// How long an attempt may take.
  let patience: Duration

  /// The picture as a durable promise. Its id follows from its key, so that of an earlier start of the
  /// app is found again.
  func picture(named name: String, cancelledBy token: CancellationToken) async throws
    -> DurablePromise<Picture>
  {
    let kept = try await ledger.findOrCreatePromise(
      key: PromiseKey("picture/\(name)"), of: Picture.self, label: "Download \(name)")
    guard try await kept.record?.status == .pending else {
      say("the ledger has the picture")
      return kept
    }
    // A download that fails or is cancelled throws here. The durable promise stays pending then, and
    // the next start tries again.
    let picture = try await download(name, cancelledBy: token).value
    try await kept.fulfill(picture)
    say("kept the picture")
    return kept
  }

  /// The closure runs for each attempt, and each attempt makes a promise of its own. The token stands
  /// right behind the promise that does the work, because a cancellation does not go up a chain.
  private func download(_ name: String, cancelledBy token: CancellationToken) -> Promise<Picture> {
    Promise.retry(attempts: 5, delay: .exponential(first: .milliseconds(10))) { attempt in
      server.picture(named: name, attempt: attempt)
        .cancelled(by: token)
        .timeout(patience, throwing: NetworkError.tooSlow, cancellingSource: true)
        .onError { error in say("attempt \(attempt) failed: \(error)") }
    }
  }
}
