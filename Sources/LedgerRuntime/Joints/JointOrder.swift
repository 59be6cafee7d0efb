/// A request to create a joint, with all joints below it that divide its inputs into groups.
struct JointOrder {
  /// The maximum number of promises that a caller may join.
  static let maximumInputCount = 1_000_000

  let rule: PromiseCreated.Joint.Rule
  let inputs: [PromiseID]
  let id: PromiseID
  let typeTag: String
  var key: PromiseKey?
  var lifetime = PromiseCreated.Lifetime.untilSettled
  var label: String?
  var tags: [String] = []
  var deadline: Timestamp?
  var parent: WorkParent?

  /// The commands that create the joints, level by level, from the inputs to the joint itself.
  ///
  /// The ids of those below follow from the id of the joint, so that a repetition finds them.
  func levels() throws(LedgerError) -> [[CreatePromise]] {
    try check()
    var levels: [[CreatePromise]] = []
    var (inputs, depth) = (inputs, UInt8(0))
    let width = PromiseCreated.Joint.maximumInputCount
    while inputs.count > width {
      let nodes = inputs.slices(of: width).enumerated().map { index, slice in
        let creation = PromiseCreated(
          typeTag: typeTag, idempotencyKey: "joint", lifetime: .untilSettled,
          source: .joint(PromiseCreated.Joint(rule, of: Array(slice), depth: depth)))
        return CreatePromise(id: id(ofNode: index, depth), creation: creation, isStrict: false)
      }
      levels.append(nodes)
      inputs = nodes.map(\.id)
      depth += 1
    }
    let root = PromiseCreated(
      typeTag: typeTag, key: key?.text, label: label, tags: tags, deadline: deadline,
      idempotencyKey: key?.text, lifetime: lifetime, parent: parent?.id,
      source: .joint(PromiseCreated.Joint(rule, of: inputs, depth: depth)))
    try root.checkLimits()
    levels.append([
      CreatePromise(id: id, creation: root, isStrict: false, parentAttempt: parent?.attempt)
    ])
    return levels
  }

  private func id(ofNode index: Int, _ depth: UInt8) -> PromiseID {
    PromiseID(entityID: EntityID(namespace: "joint", key: "\(id)/\(depth)/\(index)"))
  }

  private func check() throws(LedgerError) {
    guard inputs.count <= Self.maximumInputCount else {
      throw LedgerError(
        .invalidArgument,
        "A joint has \(inputs.count) promises; the limit is \(Self.maximumInputCount). Join groups of them."
      )
    }
    guard inputs.isEmpty, rule == .any || rule == .race else { return }
    throw LedgerError(
      .invalidArgument, "A joint of no promises has no first one; it would never be settled.")
  }
}
