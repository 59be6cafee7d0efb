import LedgerBytes

/// The identity of a step among those of its work, by which each attempt finds the steps that were finished
/// before.
public struct StepIdentity: Sendable, Hashable {
  /// The distinction between steps of one name.
  @nonexhaustive public enum Distinction: Sendable, Hashable {
    /// The key that the code gave to the step.
    case key(String)
    /// The number of the step among those of its name without a key, in the order of an attempt, from 1.
    case occurrence(UInt32)
  }

  /// The name that the code gave to the step.
  public let name: String
  /// The distinction between steps of the name.
  public let distinction: Distinction

  package init(_ name: String, _ distinction: Distinction = .occurrence(1)) {
    self.name = name
    self.distinction = distinction
  }

  /// The key for another system that receives a request of the step: the same in all attempts.
  ///
  /// - Parameter promise: The promise of the work.
  package func idempotencyKey(of promise: PromiseID) -> String {
    // Hashed, because names and keys may have any characters, and other systems accept few of them.
    "\(EntityID(namespace: "step", key: "\(promise)\0\(name)\0\(distinction.text)"))"
  }
}

extension StepIdentity.Distinction {
  fileprivate var text: String {
    switch self {
    case .key(let key): "key \(key)"
    case .occurrence(let number): "occurrence \(number)"
    }
  }
}

extension StepIdentity: CustomStringConvertible {
  /// The name, with the key in brackets or the number of a repetition.
  public var description: String {
    switch distinction {
    case .key(let key): "\(name)[\(key)]"
    case .occurrence(1): name
    case .occurrence(let number): "\(name)#\(number)"
    }
  }
}

// MARK: - Encoding

extension StepIdentity {
  /// Appends the name, and the number of the occurrence or 0 and the key.
  func append(to bytes: inout [UInt8]) {
    switch distinction {
    case .key(let key):
      bytes.appendLittleEndian(UInt32(0))
      bytes.appendText(name)
      bytes.appendText(key)
    case .occurrence(let number):
      bytes.appendLittleEndian(number)
      bytes.appendText(name)
    }
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let number: UInt32 = try reader.integer()
    let name = try reader.text()
    self.init(name, number == 0 ? .key(try reader.text()) : .occurrence(number))
  }
}
