import CDisk

/// Durable creations, and whole lives of promises, by callers that each wait for one after the other.
struct DurableComparison {
  let mode: Mode
  let table: Table

  /// The number of callers in two processes, half of them in each.
  private static let sharedCallerCount = 64

  /// - Returns: The short form.
  func run() async throws -> RateTable {
    let place = try Place()
    var short = RateTable(columns: mode.callerCounts.map { "\($0)" } + ["2 processes"])
    for task in DurableTask.allCases {
      var rates: [DurableEntry: [Double]] = [:]
      for callers in mode.callerCounts {
        let turns = try await turns(of: task, callers, in: place)
        add(turns, "\(task.name), \(callers) \(callers == 1 ? "caller" : "callers")")
        for (entry, turns) in turns { rates[entry, default: []].append(turns.rates.median) }
      }
      for entry in DurableEntry.allCases {
        table.addSlope(
          "\(task.name), rate over callers", entry.rawValue, sizes: mode.callerCounts,
          values: rates[entry] ?? [])
      }
      let shared = try await turns(of: task, Self.sharedCallerCount, in: place, isShared: true)
      add(shared, "\(task.name), 2 processes of \(Self.sharedCallerCount / 2) callers")
      for entry in DurableEntry.allCases {
        let all = (rates[entry] ?? []) + [shared[entry]?.rates.median ?? .nan]
        short.add("\(task.name): \(entry.rawValue)", all)
      }
    }
    return short
  }

  // MARK: Turns

  private struct Turns {
    var rates: [Double] = []
    var latencies: [Double] = []
    var busyCount = 0
  }

  /// Lets the contestants take turns, every other round in the opposite order.
  private func turns(
    of task: DurableTask, _ callers: Int, in place: Place, isShared: Bool = false
  ) async throws -> [DurableEntry: Turns] {
    var turns: [DurableEntry: Turns] = [:]
    var flushes: [Double] = []
    for round in 0..<mode.roundCount {
      flushes += try await FlushTimes.measure(in: place, count: mode.flushCount)
      let order = DurableEntry.allCases
      for entry in round.isMultiple(of: 2) ? order : order.reversed() {
        // The same files in all rounds, as in an app that runs for a while.
        let directory = try place.directory("\(entry)")
        let turn = try await turn(of: entry, task, callers, at: directory, isShared)
        turns[entry, default: Turns()].rates.append(turn.perSecond)
        turns[entry, default: Turns()].latencies += turn.latencies
        turns[entry, default: Turns()].busyCount += turn.busyCount
      }
    }
    table.add("overwrite of 512 bytes with O_DSYNC, meanwhile", "disk", "", latencies: flushes)
    return turns
  }

  private func turn(
    of entry: DurableEntry, _ task: DurableTask, _ callers: Int, at directory: String,
    _ isShared: Bool
  ) async throws -> Turn {
    let contestant = try await entry.open(at: directory)
    // The first operations of a process are slower.
    _ = try await contestant.run(task, callers: callers, for: mode.warmUp)
    let turn =
      isShared
      ? try await sharedTurn(contestant, entry, task, callers / 2, at: directory)
      : try await contestant.run(task, callers: callers, for: mode.turn)
    await contestant.close()
    return turn
  }

  private func sharedTurn(
    _ contestant: any DurableContestant, _ entry: DurableEntry, _ task: DurableTask,
    _ callers: Int, at directory: String
  ) async throws -> Turn {
    let milliseconds = Int(mode.turn / .milliseconds(1))
    let peer = try Peer([
      "durable", entry.rawValue, task.rawValue, "\(callers)", "\(milliseconds)", directory,
    ])
    defer { peer.end() }
    try peer.waitForLine()
    peer.send("go")
    var turn = try await contestant.run(task, callers: callers, for: mode.turn)
    let answer = try peer.waitForLine().split(separator: " ").compactMap { Int($0) }
    guard answer.count == 2 else { throw UnexpectedEnd() }
    turn.count += answer[0]
    turn.busyCount += answer[1]
    return turn
  }

  /// The other process of a shared turn.
  static func runPeer(_ arguments: [String]) async throws {
    guard arguments.count == 5, let entry = DurableEntry(rawValue: arguments[0]),
      let task = DurableTask(rawValue: arguments[1]), let callers = Int(arguments[2]),
      let milliseconds = Int(arguments[3])
    else { throw UnexpectedEnd() }
    let contestant = try await entry.open(at: arguments[4])
    Peer.say("ready")
    guard readLine() != nil else { return }
    let turn = try await contestant.run(task, callers: callers, for: .milliseconds(milliseconds))
    Peer.say("\(turn.count) \(turn.busyCount)")
    await contestant.close()
  }

  // MARK: Rows

  private func add(_ turns: [DurableEntry: Turns], _ measured: String) {
    guard let ledger = turns[.ledger] else { return }
    for entry in DurableEntry.allCases {
      guard let these = turns[entry] else { continue }
      let busy = these.busyCount == 0 ? "" : ", \(these.busyCount) times busy"
      let ratio = zip(ledger.rates, these.rates).map { $0 / $1 }.median
      table.add(
        measured, entry.rawValue, Table.rate(these.rates.median) + busy,
        latencies: these.latencies, rounds: these.rates, ratio: entry == .ledger ? nil : ratio)
    }
  }
}

/// What the disk itself takes.
enum FlushTimes {
  static func measure(in place: Place, count: Int) async throws -> [Double] {
    let descriptor = unsafe flush_file_open(place.path + "/flush")
    guard descriptor >= 0 else { throw UnexpectedMode() }
    defer { flush_file_close(descriptor) }
    var times: [Double] = []
    for _ in 0..<count {
      times.append(
        try await microseconds {
          guard flush_file_overwrite(descriptor) == 0 else { throw UnexpectedMode() }
        })
    }
    return times
  }
}
