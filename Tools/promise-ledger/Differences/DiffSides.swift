import ArgumentParser
import Foundation
import PromiseLedger

/// The two states that are compared.
struct DiffSides {
  struct Side {
    let path: String
    var position: Position?

    /// Whether it is a file, and so an archive.
    var isArchive: Bool {
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
      let type = attributes?[.type] as? FileAttributeType
      return type.map { $0 != .typeDirectory } ?? false
    }

    /// Whether it is the same directory or file as another.
    func isSamePlace(as other: Side) -> Bool {
      func whole(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
      }
      return path == other.path || whole(path) == whole(other.path)
    }
  }

  let first: Side
  let second: Side

  /// - Throws: `ValidationError` unless the words name two sides.
  init(_ words: [String]) throws {
    var rest = words[...]
    func position() -> Position? {
      guard let word = rest.first, word.allSatisfy({ $0.isASCII && $0.isWholeNumber }),
        let number = UInt64(word)
      else { return nil }
      rest = rest.dropFirst()
      return Position(rawValue: number)
    }
    guard let path = rest.popFirst() else { throw ValidationError("Give two sides to compare.") }
    var first = Side(path: path)
    first.position = position()
    var second = Side(path: rest.first ?? path)
    if let later = position() {
      second = Side(path: path, position: later)
    } else if rest.popFirst() != nil {
      second.position = position()
    } else if first.position == nil {
      throw ValidationError("Give a second side: a ledger, an archive or a position.")
    }
    guard rest.isEmpty else { throw ValidationError("Give two sides, each with one position.") }
    (self.first, self.second) = (first, second)
  }

  /// Runs `body` on both states.
  func withStates(
    _ access: SharedAccessOptions, _ sink: any TextSink, _ body: (StateDifference) throws -> Void
  ) throws {
    let alive = { () -> Void in try? sink.alive() }
    let inspector = try open(first, access, sink)
    let progress = sink.progress(through: inspector)
    guard !first.isSamePlace(as: second) else {
      return try inspector.withReplays(
        through: first.position, second.position, progress: progress
      ) { try body(StateDifference(before: $0, after: $1, alive: alive)) }
    }
    let other = try open(second, access, sink)
    if inspector.id != other.id {
      try sink.note("These are two ledgers: \(inspector.id) and \(other.id).")
    }
    try inspector.withReplay(through: first.position, progress: progress) { before in
      try other.withReplay(through: second.position, progress: sink.progress(through: other)) {
        after in
        try body(StateDifference(before: before, after: after, alive: alive))
      }
    }
  }

  private func open(
    _ side: Side, _ access: SharedAccessOptions, _ sink: any TextSink
  ) throws -> BlockingInspector {
    guard side.isArchive else { return try access.open(side.path) }
    // Reading an archive tells nothing about its progress.
    let work = try BackgroundWork<RebuiltRecording, Never> { [path = side.path] _ in
      try Self.rebuild(path)
    }
    let rebuilt = try work.wait(
      every: access.pulseInterval, for: .seconds(86_400), sink.alive
    ) { _ in }
    return BlockingInspector(InMemoryInspection(rebuilt.ledger, rebuilt.metadata))
  }

  private static func rebuild(_ path: String) throws(LedgerError) -> RebuiltRecording {
    try RebuiltRecording(path, as: .ofAnyArchive)
  }
}
