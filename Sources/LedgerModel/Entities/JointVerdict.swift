/// The effect of the outcomes of its inputs on a joint.
package enum JointVerdict: Sendable, Hashable {
  /// The joint waits for more inputs.
  case undecided
  /// It is fulfilled: with the value of an input, or with those of all of them.
  case fulfilled(by: PromiseID?)
  /// It is settled like an input that has no value.
  case like(PromiseID)
  /// It is rejected, because no input was fulfilled. The input is the one that was settled first.
  case noneFulfilled(first: PromiseID)
}

extension JointVerdict {
  /// An input, with its settlement.
  package struct Input: Sendable, Hashable {
    package let id: PromiseID
    /// The settlement; `nil` while the input is pending.
    package let settlement: Settlement?

    package init(_ id: PromiseID, _ settlement: Settlement?) {
      self.id = id
      self.settlement = settlement
    }
  }

  /// The settlement of an input.
  package struct Settlement: Sendable, Hashable {
    package let position: Position
    /// Whether the input has a value. An input that was abandoned while it was pending has none.
    package let isFulfilment: Bool

    package init(at position: Position, isFulfilment: Bool) {
      self.position = position
      self.isFulfilment = isFulfilment
    }
  }

  /// Applies a rule. If several inputs decide, the one that was settled first does.
  package init(_ rule: PromiseCreated.Joint.Rule, of inputs: [Input]) {
    let isComplete = inputs.allSatisfy { $0.settlement != nil }
    let first = Self.first(of: inputs) { _ in true }
    let firstFulfilled = Self.first(of: inputs) { $0.isFulfilment }
    let firstFailed = Self.first(of: inputs) { !$0.isFulfilment }
    switch rule {
    case .all:
      if let firstFailed {
        self = .like(firstFailed.id)
      } else {
        self = isComplete ? .fulfilled(by: nil) : .undecided
      }
    case .allSettled:
      self = isComplete ? .fulfilled(by: nil) : .undecided
    case .any:
      if let firstFulfilled {
        self = .fulfilled(by: firstFulfilled.id)
      } else if isComplete, let firstFailed {
        self = .noneFulfilled(first: firstFailed.id)
      } else {
        self = .undecided
      }
    case .race:
      guard let first, let settlement = first.settlement else {
        self = .undecided
        return
      }
      self = settlement.isFulfilment ? .fulfilled(by: first.id) : .like(first.id)
    }
  }

  private static func first(
    of inputs: [Input], where isWanted: (Settlement) -> Bool
  ) -> Input? {
    var first: (input: Input, position: Position)?
    for input in inputs {
      guard let settlement = input.settlement, isWanted(settlement) else { continue }
      if let first, first.position <= settlement.position { continue }
      first = (input, settlement.position)
    }
    return first?.input
  }
}

extension PromiseEntity {
  /// The settlement, as joints see it; `nil` while the promise is pending.
  package var settlement: JointVerdict.Settlement? {
    if let resolution {
      return JointVerdict.Settlement(
        at: resolution.fact.position, isFulfilment: resolution.outcome == .fulfilled)
    }
    return closing.map { JointVerdict.Settlement(at: $0.fact.position, isFulfilment: false) }
  }
}

extension PromiseResolved {
  /// The content of the outcome of a fulfilled joint.
  ///
  /// - Parameter input: The input whose value it has; `nil` if it has those of all inputs.
  package static func jointContent(by input: PromiseID?) -> [UInt8] {
    var bytes: [UInt8] = []
    input?.entityID.append(to: &bytes)
    return bytes
  }

  /// The input whose value a fulfilled joint has.
  ///
  /// - Throws: `corrupt`.
  package static func input(inJointContent content: [UInt8]) throws(LedgerError) -> PromiseID? {
    guard !content.isEmpty else { return nil }
    guard content.count == 16 else {
      throw LedgerError(
        .corrupt,
        "The outcome of a joint names no input: it has \(content.count) bytes. Restore the ledger from a copy."
      )
    }
    return PromiseID(entityID: EntityID(loadedFrom: content.span, at: 0))
  }
}
