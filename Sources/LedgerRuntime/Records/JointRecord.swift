/// The ledger's record of a joint: a promise that other promises settle.
public struct JointRecord: Sendable, Hashable {
  /// The rule by which the outcomes of the inputs settle the promise.
  public let rule: PromiseCreated.Joint.Rule
  /// The inputs, in the order in which they were given.
  ///
  /// More than 64 promises are divided into groups: then the inputs are other joints with the same rule.
  public let inputs: [PromiseID]
  /// Whether the inputs are other joints that only divide the promises into groups.
  public let isGrouped: Bool
  /// The input whose value the promise has, if it has that of one input.
  public let chosenInput: PromiseID?

  init?(_ entity: PromiseEntity, _ creation: PromiseCreated) {
    guard let joint = creation.joint else { return nil }
    rule = joint.rule
    inputs = joint.inputs
    isGrouped = joint.depth > 0
    let isFulfilled = entity.resolution?.outcome == .fulfilled
    let content = isFulfilled ? (try? entity.resolved())?.content : nil
    chosenInput = content.flatMap { try? PromiseResolved.input(inJointContent: $0) }
  }
}
