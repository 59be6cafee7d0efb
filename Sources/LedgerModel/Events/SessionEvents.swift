import LedgerBytes

/// The role of a session, which determines its permissions.
@nonexhaustive public enum SessionRole: UInt8, Sendable, Hashable, CaseIterable {
  /// The app. It may perform every operation, and it alone may consume.
  case app = 0
  /// A helper process of the app, such as an app extension or a worker. It may not consume.
  case appExtension = 1
  /// A person with a tool. It may not consume.
  case `operator` = 2
}

extension SessionRole {
  /// ``app`` in the words of a server: the process that consumes outcomes.
  public static var consumer: SessionRole { .app }

  /// ``appExtension`` in the words of a server: a process that creates and resolves promises and calls
  /// handlers, and does not consume.
  public static var resolver: SessionRole { .appExtension }
}

extension SessionClosed {
  /// The reason why a session ended.
  @nonexhaustive public enum Reason: UInt8, Sendable, Hashable {
    /// Its process closed it.
    case closed = 0
    /// Another session found that its process was gone.
    case died = 1
  }
}

/// The payload of a ledger's first event.
public struct LedgerCreated: EventPayload, Hashable {
  public static let kind = EventKind.ledgerCreated

  /// The format version that the ledger was created with.
  public let formatVersion: UInt32

  package init(formatVersion: UInt32) {
    self.formatVersion = formatVersion
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    formatVersion = try Self.parse(payload) { reader throws(PayloadDamage) in
      try reader.integer()
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(formatVersion)
    return bytes
  }
}

/// The payload of the event that records the opening of the ledger by a process.
public struct SessionOpened: EventPayload, Hashable {
  public static let kind = EventKind.sessionOpened

  /// The role of the session.
  public let role: SessionRole
  /// The process id.
  public let processID: Int32
  /// The name of the app instance, to tell several apps on one ledger apart.
  public let instance: String
  /// The name of the machine.
  public let host: String
  /// The version of the library that opened it.
  public let libraryVersion: String

  package init(
    role: SessionRole, processID: Int32, instance: String, host: String, libraryVersion: String
  ) {
    self.role = role
    self.processID = processID
    self.instance = instance
    self.host = host
    self.libraryVersion = libraryVersion
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let role: SessionRole = try reader.choice("role")
      try reader.skip(3)
      return Self(
        role: role,
        processID: try reader.integer(),
        instance: try reader.text(),
        host: try reader.text(),
        libraryVersion: try reader.text()
      )
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [role.rawValue, 0, 0, 0]
    bytes.appendLittleEndian(processID)
    bytes.appendText(instance)
    bytes.appendText(host)
    bytes.appendText(libraryVersion)
    return bytes
  }
}

/// The payload of the event that records the release of every lock and file by a session; it is empty.
public struct SessionFrozen: EventPayload, Hashable {
  public static let kind = EventKind.sessionFrozen

  package init() {}

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    try Self.parse(payload) { _ throws(PayloadDamage) in }
  }

  public var encoded: [UInt8] { [] }
}

/// The payload of the event that records a session's return from its freeze.
public struct SessionUnfrozen: EventPayload, Hashable {
  public static let kind = EventKind.sessionUnfrozen

  /// The process id.
  public let processID: Int32

  package init(processID: Int32) {
    self.processID = processID
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    processID = try Self.parse(payload) { reader throws(PayloadDamage) in try reader.integer() }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(processID)
    return bytes
  }
}

/// The payload of the event that records the end of a session.
public struct SessionClosed: EventPayload, Hashable {
  public static let kind = EventKind.sessionClosed

  /// The reason why the session ended.
  public let reason: Reason

  package init(reason: Reason) {
    self.reason = reason
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    reason = try Self.parse(payload) { reader throws(PayloadDamage) in try reader.choice("reason") }
  }

  public var encoded: [UInt8] { [reason.rawValue] }
}
