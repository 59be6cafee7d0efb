import Observation

/// Stands for a SwiftUI view: prints what changed in the model.
@MainActor final class AvatarTextView {
  private let model: AvatarViewModel
  private var showsSpinner = false
  private var shownError: String?

  init(model: AvatarViewModel) {
    self.model = model
  }

  /// Prints what changed, and does so again whenever something changes that it has read.
  func appear() {
    let (isBusy, errorText) = withObservationTracking {
      (model.isBusy, model.errorText)
    } onChange: {
      Task { @MainActor in self.appear() }
    }
    if let errorText, errorText != shownError { say("shows: \(errorText)") }
    if isBusy != showsSpinner { say(isBusy ? "spinner on" : "spinner off") }
    (shownError, showsSpinner) = (errorText, isBusy)
  }
}
