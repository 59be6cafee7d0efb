#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The value of a fulfilled joint, under construction from the outcomes of its inputs.
struct JointValue {
  private let typeTag: JointTypeTag
  private var bytes: [UInt8] = [UInt8(ascii: "[")]

  init(_ typeTag: JointTypeTag) {
    self.typeTag = typeTag
  }

  /// The value.
  var value: StoredValue {
    StoredValue(typeTag: typeTag.text, bytes: bytes + [UInt8(ascii: "]")])
  }

  mutating func append(_ outcome: PromiseOutcome<StoredValue>) throws {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    guard typeTag.hasOutcomes else {
      return append(value: try outcome.get())
    }
    guard case .fulfilled(let value) = outcome else {
      let failure = try outcome.map { (_) throws(LedgerError) in false }
      bytes += try encodeJSON(failure)
      return
    }
    bytes += Array(#"{"fulfilled":"#.utf8)
    append(value: value)
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func append(value: StoredValue) {
    guard typeTag.isEncoded else {
      bytes += value.bytes
      return
    }
    bytes += Array("\"\(Data(value.bytes).base64EncodedString())\"".utf8)
  }
}

extension RecordReader {
  /// The outcome of a promise that was looked up, with the value of a joint composed of those of its inputs.
  ///
  /// - Returns: `nil` if the promise is pending or abandoned.
  /// - Throws: ``LedgerError`` with `recordRemoved` if the record of an input was removed.
  /// - Complexity: O(n) in the number of inputs of a joint.
  func outcome(of entity: PromiseEntity) async throws -> PromiseOutcome<StoredValue>? {
    guard entity.isJoint, entity.resolution?.outcome == .fulfilled,
      let joint = entity.joint, let content = try entity.resolved()?.content
    else { return try await record(of: entity).outcome }
    if let input = try PromiseResolved.input(inJointContent: content) {
      return try await outcome(of: try await input.entity(in: self))
    }
    var value = JointValue(JointTypeTag(try entity.creation().typeTag, of: joint.rule))
    try await append(joint, to: &value)
    return .fulfilled(value.value)
  }

  private func append(
    _ joint: PromiseCreated.Joint, to value: inout JointValue
  ) async throws {
    for slice in joint.inputs.slices(of: PromiseCreated.Joint.maximumInputCount) {
      let needs = SnapshotNeeds(ids: Set(slice.map(\.entityID)))
      let inputs = try await engine.read(needs: needs) { state in
        try slice.map { id throws(LedgerError) in
          try state.input(id)
        }
      }
      for input in inputs {
        if joint.depth > 0, let below = input.joint {
          try await append(below, to: &value)
        } else if let outcome = try await outcome(of: input) {
          try value.append(outcome)
        } else {
          // An input that was abandoned while it was pending.
          try value.append(.cancelled(reason: input.abandonReason))
        }
      }
    }
  }
}

extension PromiseID {
  fileprivate func entity(in reader: RecordReader) async throws -> PromiseEntity {
    let needs = SnapshotNeeds(ids: [entityID])
    return try await reader.engine.read(needs: needs) { state in
      try state.input(self)
    }
  }
}

extension LedgerState {
  /// An input of a joint.
  fileprivate func input(_ id: PromiseID) throws(LedgerError) -> PromiseEntity {
    if let entity = try promise(id) { return entity }
    let refusal = try refusal(ofMissing: id)
    // It was there when the joint was created, also if it had no key by which that would be known.
    throw refusal.code == .notFound ? .inputRemoved(id) : refusal
  }
}

extension LedgerError {
  fileprivate static func inputRemoved(_ id: PromiseID) -> LedgerError {
    LedgerError(
      .recordRemoved,
      "The joint has the value of promise \(id), which ended, and a compaction removed its record. Read the outcome of a joint while the records of its inputs are kept."
    )
  }
}

extension PromiseEntity {
  /// The reason for which the promise was abandoned; empty if it was not.
  var abandonReason: String {
    if case .abandoned(_, let reason) = closing { reason } else { "" }
  }
}
