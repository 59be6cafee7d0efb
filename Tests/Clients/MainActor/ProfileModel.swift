import LedgerPromises
import LedgerRuntime
import Observation

/// A view model as an app has it.
@MainActor @Observable final class ProfileModel {
  private(set) var name = ""
  private(set) var message: String?
  private(set) var isLoading = false

  func load(_ user: Promise<User>) -> Guarantee<Void> {
    isLoading = true
    return user.map { $0.name }
      .timeout(.seconds(30))
      .done(on: .main) { self.name = $0 }
      .catch(on: .main) { self.message = "\($0)" }
      .finally(on: .main) { self.isLoading = false }
  }

  func show(_ user: DurablePromise<User>) -> Promise<Void> {
    user.promise.done(on: .main) { [weak self] user in self?.name = user.name }
  }

  func rename(_ user: User) {
    name = user.name
  }
}
