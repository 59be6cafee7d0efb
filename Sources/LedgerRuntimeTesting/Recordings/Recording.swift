import LedgerModel
public import LedgerRuntime
import LedgerSystem

/// A file with the history that a test makes, to compare the histories of later runs with.
///
/// ```swift
/// let recording = Recording("Tests/Recordings/order.jsonl")
/// try await recording.verify(ledger)
/// ```
///
/// Ids and times must be the same in each run, so give the ledger a ``ManualLedgerClock`` and a
/// ``SequentialIDGenerator``. The process id, the name of the machine and the version of the library are left
/// out.
///
/// The environment variable `RECORD` tells whether files are written: `missing`, `failed` or `all`; see
/// ``Mode``. A test whose file was written fails once, so that no recording is made unnoticed.
public struct Recording: Sendable {
  /// The recordings that a run of tests may write.
  @nonexhaustive public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Those whose files do not exist.
    case missing
    /// Those that do not exist, and those that differ from the history.
    case failed
    /// All, also those that are equal. So files with older dates afterwards belong to no test that was run.
    case all
  }

  /// The path of the file.
  public let path: String
  /// The recordings that may be written; `nil` for none.
  public var mode: Mode?

  /// Makes a recording, which need not exist yet.
  ///
  /// - Parameters:
  ///   - path: The path of the file; its directory must exist.
  ///   - mode: The recordings that may be written; by default as `RECORD` says, and none without it.
  public init(_ path: String, mode: Mode? = Recording.modeOfEnvironment) {
    self.path = path
    self.mode = mode
  }

  /// The mode that the environment variable `RECORD` names; `nil` if it names none.
  public static var modeOfEnvironment: Mode? {
    ThisProcess.environmentVariable("RECORD").flatMap(Mode.init(rawValue:))
  }

  /// Rejects a value of `RECORD` that names no mode. It would otherwise be ignored silently.
  static func check(_ value: String?) throws(LedgerError) {
    guard let value, !value.isEmpty, Mode(rawValue: value) == nil else { return }
    throw LedgerError(
      .invalidArgument, "RECORD is \"\(value)\". Set it to missing, failed or all, or unset it.")
  }

  /// Compares the history of a ledger with the recording, or records it.
  ///
  /// - Throws: ``RecordingIssue`` if there is no recording, if it differs, or if it was written; `LedgerError`
  ///   if the file is damaged, or cannot be read or written, or if `RECORD` has another value
  ///   (`invalidArgument`): correct it, or unset it.
  public func verify(_ ledger: Ledger) async throws {
    try Self.check(ThisProcess.environmentVariable("RECORD"))
    let (copy, current) = try await Self.history(of: ledger)
    let recorded = try read()
    guard recorded != current || mode == .all else { return }
    switch (mode, recorded) {
    case (.all, _), (.failed, _), (.missing, nil):
      try write(current)
      throw RecordingIssue(recorded == nil ? .made : .remade, path)
    case (.missing, _), (nil, _):
      guard recorded != nil else { throw RecordingIssue(.missing, path) }
      throw try difference(from: copy.ledger)
    }
  }

  /// The history of a ledger as a recording, without what differs from run to run.
  static func history(
    of ledger: Ledger
  ) async throws -> (copy: InMemoryInspection, bytes: [UInt8]) {
    var archive: [UInt8] = []
    try await ledger.export { archive += $0 }
    let exported = archive
    let copy = try InMemoryInspection(copying: { add in try add(exported) }, ProcessRemoval())
    var bytes: [UInt8] = []
    _ = try BlockingInspector(copy).record { bytes += $0 }
    return (copy, bytes)
  }

  // MARK: The file

  /// The bytes of the file; `nil` if there is none.
  private func read() throws(LedgerError) -> [UInt8]? {
    do throws(SystemError) {
      var file = try FileReader(path)
      var bytes: [UInt8] = []
      while case let piece = try file.read(upTo: 1 << 16), !piece.isEmpty { bytes += piece }
      return bytes
    } catch {
      guard error.code != .notFound else { return nil }
      throw LedgerError(error, "The recording \(path) cannot be read.")
    }
  }

  private func write(_ bytes: [UInt8]) throws(LedgerError) {
    do throws(SystemError) {
      var file = try AtomicFile(path, mode: 0o644)
      try file.write(bytes)
      try file.finish()
    } catch {
      throw .recordingNotWritten(path, error)
    }
  }

  // MARK: Comparing

  /// The first difference of a history from the recording.
  private func difference(from current: InMemoryLedger) throws -> RecordingIssue {
    let recorded = try RebuiltRecording(path)
    let replay = try RecordingReplay(recorded)
    if let divergence = replay.divergences.first {
      return RecordingIssue(.differs, path, divergence)
    }
    let (expected, actual) = (try History(of: recorded.ledger), try History(of: current))
    return RecordingIssue(.differs, path, expected.divergence(of: actual))
  }
}

/// Removes what differs from run to run.
private struct ProcessRemoval: ArchiveChange {
  func changed(_ entity: LedgerEntity) throws(LedgerError) -> LedgerEntity {
    entity.session.map { .session($0.withoutProcess) } ?? entity
  }

  func changed(
    _ attachment: [UInt8], at position: Position, of entity: LedgerEntity
  ) throws(LedgerError) -> [UInt8] { attachment }

  func changed(
    _ kind: EventKind, version: UInt16, _ payload: [UInt8], attachment: [UInt8], isJoint: Bool
  ) -> (payload: [UInt8], attachment: [UInt8]) {
    if kind == SessionOpened.kind, let opened = try? SessionOpened(decoding: payload) {
      return (opened.withoutProcess.encoded, attachment)
    }
    if kind == SessionUnfrozen.kind { return ([0, 0, 0, 0], attachment) }
    return (payload, attachment)
  }

  func changed(_ digest: LogDigest) -> LogDigest { digest }
}
