import Synchronization

/// Reports, once, that an attempt of a retry is the very promise of the attempt before, whose work does not
/// run again.
final class RepetitionWatch: Sendable {
  private struct State {
    /// Kept, so that no other promise takes its address.
    var last: PromiseCore?
    var didReport = false
  }

  private let state = Mutex(State())

  func note(_ attempt: PromiseCore, _ site: SourceSite) {
    let (former, isNews) = state.withLock { state in
      let former = state.last
      state.last = attempt
      let isNews = former === attempt && !state.didReport
      if isNews { state.didReport = true }
      return (former, isNews)
    }
    if isNews { PromiseDiagnostics.report(.retriedSamePromise, at: site) }
    // Released here, without the lock.
    withExtendedLifetime(former) {}
  }
}
