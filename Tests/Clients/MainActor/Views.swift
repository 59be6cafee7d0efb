/// Represents the parts of a user interface: on the main actor, and not Sendable.
@MainActor class View {
  var isHidden = false
}

@MainActor final class Label: View {
  var text: String? = nil
}

@MainActor final class Spinner: View {
  private(set) var isSpinning = false

  func start() { isSpinning = true }
  func stop() { isSpinning = false }
}

struct User: Codable, Equatable, Sendable {
  var name: String
}
