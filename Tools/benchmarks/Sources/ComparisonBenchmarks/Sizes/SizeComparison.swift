import Foundation
import GRDB
import PromiseLedger

/// Opening and unfreezing ledgers of many sizes, and what a pending promise takes in memory and on the disk.
struct SizeComparison {
  let mode: Mode
  let table: Table

  /// How the events of a ledger are kept.
  private enum Form: String, CaseIterable {
    case log = "as events"
    case snapshot = "compacted"
  }

  /// Medians of several processes.
  private struct Opening {
    /// In microseconds.
    var opening: [Double] = []
    var unfreezing: [Double] = []
    /// In bytes.
    var memory: [Double] = []
  }

  func run() async throws {
    var openings: [Form: [Opening]] = [:]
    for size in mode.sizes {
      let place = try Place()
      try await fill(place, size)
      let empty = try Place()
      try await fill(empty, 0)
      for form in Form.allCases {
        if form == .snapshot {
          try await compact(place)
          try await compact(empty)
        }
        let (these, none) = try await (open(place), open(empty))
        add(these, none, form, size, place)
        openings[form, default: []].append(these)
      }
      try addRows(size)
    }
    for form in Form.allCases {
      for (name, values) in [
        ("opening", openings[form]?.map(\.opening.median)),
        ("unfreezing", openings[form]?.map(\.unfreezing.median)),
      ] {
        table.addSlope(
          "\(name), time over events", "ledger, \(form.rawValue)", sizes: mode.sizes,
          values: values ?? [])
      }
    }
  }

  // MARK: Ledgers

  private static let withoutCompaction: LedgerConfiguration = {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    return configuration
  }()

  private static func ledgerPath(_ place: String) -> String { place + "/ledger" }

  private func fill(_ place: Place, _ size: Int) async throws {
    let ledger = try await Ledger.open(
      at: Self.ledgerPath(place.path), as: .app, configuration: Self.withoutCompaction)
    let step = 1_000
    for start in stride(from: 0, to: size, by: step) {
      try await ledger.batch { batch in
        for _ in start..<min(start + step, size) { _ = try batch.createPromise(of: String.self) }
      }
    }
    await ledger.close()
  }

  private func compact(_ place: Place) async throws {
    let ledger = try await Ledger.open(
      at: Self.ledgerPath(place.path), as: .app, configuration: Self.withoutCompaction)
    _ = try await ledger.compact(.foldOnly)
    await ledger.close()
  }

  private func open(_ place: Place) async throws -> Opening {
    var opening = Opening()
    for _ in 0..<mode.openingCount {
      let peer = try Peer(["open", place.path])
      let figures = try peer.waitForLine().split(separator: " ").compactMap { Double($0) }
      peer.end()
      guard figures.count == 3 else { throw UnexpectedEnd() }
      opening.opening.append(figures[0])
      opening.unfreezing.append(figures[1])
      opening.memory.append(figures[2])
    }
    return opening
  }

  /// The process that opens a ledger.
  static func runPeer(_ arguments: [String]) async throws {
    guard arguments.count == 1 else { throw UnexpectedEnd() }
    let path = ledgerPath(arguments[0])
    var opened: Ledger?
    let opening = try await microseconds {
      let ledger = try await Ledger.open(at: path, as: .app, configuration: withoutCompaction)
      _ = try await ledger.record(of: PromiseKey("none").promiseID)
      opened = ledger
    }
    guard let ledger = opened else { return }
    let memory = try anonymousByteCount()
    try await ledger.freeze()
    let unfreezing = try await microseconds {
      try await ledger.unfreeze()
      _ = try await ledger.record(of: PromiseKey("none").promiseID)
    }
    Peer.say("\(opening) \(unfreezing) \(memory)")
    await ledger.close()
    _ = readLine()
  }

  /// The memory of this process that no file backs.
  private static func anonymousByteCount() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    guard let kibibytes = line.flatMap({ Int($0.filter(\.isNumber)) }) else {
      throw UnexpectedEnd()
    }
    return kibibytes << 10
  }

  // MARK: Rows

  private func add(
    _ these: Opening, _ none: Opening, _ form: Form, _ size: Int, _ place: Place
  ) {
    let contestant = "ledger, \(form.rawValue)"
    let events = "\(Table.number(Double(size))) events"
    for (verb, times) in [("opening", these.opening), ("unfreezing", these.unfreezing)] {
      table.add(
        "\(verb) \(events)", contestant, Table.text(microseconds: times.median), latencies: times,
        rounds: times)
    }
    let memory = (these.memory.median - none.memory.median) / Double(size)
    table.add(
      "memory of each of \(events)", contestant, String(format: "%.1f bytes", memory))
    let bytes = Double((try? place.byteCount(ofFilesBeginningWith: "ledger/")) ?? 0)
    table.add(
      "disk for each of \(events)", contestant,
      String(format: "%.0f bytes", bytes / Double(size)))
  }

  /// Rows in SQLite take what they take.
  private func addRows(_ size: Int) throws {
    let place = try Place()
    let database = try DatabaseQueue.open(
      at: place.path + "/rows.sqlite", .full, schema: RowContestant.schema)
    try database.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO promise (type, state, created) VALUES ('string', 0, ?)")
      for number in 0..<size { try insert.execute(arguments: [Double(number)]) }
    }
    try database.close()
    let bytes = Double(try place.byteCount(ofFilesBeginningWith: "rows"))
    table.add(
      "disk for each of \(Table.number(Double(size))) events", "GRDB, row updated in place",
      String(format: "%.0f bytes", bytes / Double(size)))
  }
}
