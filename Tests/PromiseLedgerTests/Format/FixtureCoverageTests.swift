import Foundation
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The fixtures of a format version have together everything that a ledger of that version can hold. What is new in the
/// format needs a fixture of its own, because the old ones stay as they are.
@Suite(.timeLimit(.minutes(5))) struct FixtureCoverageTests {
  private static let lines: [ArchiveLine] = {
    do {
      // The events of a later version prove nothing about this one.
      let names = try FileManager.default.contentsOfDirectory(
        atPath: FixtureFiles.folder.path
      )
      .filter { $0.hasPrefix("format-") && $0.hasSuffix(".jsonl") }
      return try names.flatMap { name in
        try FixtureFiles.bytes(name).split(separator: UInt8(ascii: "\n"))
          .map { try ArchiveLine(parsing: Array($0)) }
      }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test func everyVersionOfEveryEventHasAFixture() throws {
    let all = try EventKind.all.flatMap { kind in
      (1...(try #require(kind.payload).newestVersion)).map { "\(kind), version \($0)" }
    }
    let kept = Self.lines.compactMap { line in
      if case .event(let event) = line { "\(event.kind), version \(event.version)" } else { nil }
    }
    #expect(Set(all).subtracting(kept) == [])
    #expect(all.count > EventKind.all.count)
  }

  @Test func everyKindOfRecordHasAFixture() {
    let numbers = UInt8.min...UInt8.max
    let all = numbers.flatMap { kind in numbers.map { RecordType(kind: kind, layout: $0) } }
      .filter { $0.knownKind != nil }
    let kept = Self.lines.compactMap { line -> RecordType? in
      if case .record(let record) = line { record.type } else { nil }
    }
    #expect(Set(all).subtracting(kept) == [])
    #expect(all.contains(.extendedPromise))
  }

  @Test func everyKindOfLineHasAFixture() {
    #expect(Set(Self.lines.map(\.number)) == Set(0..<9))
  }
}

extension ArchiveLine {
  /// The number of the kind of line. A new kind gets the next one.
  fileprivate var number: Int {
    switch self {
    case .header: 0
    case .snapshot: 1
    case .record: 2
    case .attachment: 3
    case .tombstone: 4
    case .event: 5
    case .recording: 6
    case .state: 7
    case .end: 8
    }
  }
}
