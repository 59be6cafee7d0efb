import LedgerPromises
import Observation
import PromiseLedger

/// What a view shows of the removal of an avatar.
@MainActor @Observable final class AvatarViewModel {
  private(set) var isBusy = false
  private(set) var errorText: String?

  private let service: AvatarService

  init(service: AvatarService) {
    self.service = service
  }

  /// The button was pressed. `on: .main` makes the closures run on the main actor, and tells the
  /// compiler so.
  func removeAvatar(of room: String) {
    isBusy = true
    errorText = nil
    service.removeAvatar(of: room)
      .catch(on: .main) { error in self.errorText = error.localizedDescription }
      .finally(on: .main) { self.isBusy = false }
  }

  /// The app was killed while it waited, and was started anew: shows how the removals ended that it
  /// does not know of any more.
  func showWhatWasMissed() async throws {
    for record in try await service.ledger.stalePromises() {
      let promise = try service.ledger.promise(id: record.id, of: Void.self)
      say("found a stale promise: \(record.label ?? "")")
      // The closure runs first, and the promise counts as consumed when it has returned.
      try await promise.consume { outcome in self.show(outcome) }
    }
  }

  private func show(_ outcome: PromiseOutcome<Void>) {
    switch outcome {
    case .fulfilled: errorText = nil
    case .rejected(let error): errorText = error.message
    case .cancelled(let reason): errorText = reason
    case .timedOut: errorText = "The server did not answer in time."
    }
  }
}
