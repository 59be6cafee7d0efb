import LedgerPromises
import Observation
import PromiseLedger

/// The state of the page of a room: a picture, a spinner and a message.
@MainActor @Observable final class AvatarModel {
  private(set) var picture = ""
  private(set) var message = ""
  private(set) var isBusy = false

  /// Downloads the picture, three times at most.
  func load(_ room: String, from server: Server) -> Guarantee<Void> {
    isBusy = true
    return Promise.retry(attempts: 3, delay: .exponential(first: .milliseconds(5))) { _ in
      Promise { try await server.avatar(of: room) }
    }
    .done(on: .main) { self.picture = $0 }
    .catch(on: .main) { self.message = $0.localizedDescription }
    .finally(on: .main) { self.isBusy = false }
  }

  /// Shows the outcome of a request to remove the avatar, now or whenever it comes.
  func show(_ removal: DurablePromise<Void>) -> Guarantee<Void> {
    isBusy = true
    return removal.promise
      .done(on: .main) {
        self.picture = ""
        self.message = "The avatar is removed."
      }
      .catch(on: .main) { self.message = $0.localizedDescription }
      .finally(on: .main) { self.isBusy = false }
  }
}
