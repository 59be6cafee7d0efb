/// Looks for an order of the calls of one object that its specification allows.
///
/// A history is linearizable if each call can be given one moment between its call and its return, so that
/// the answers are those of the requests carried out in the order of these moments (Herlihy and Wing 1990).
/// The search is that of Wing and Gong (1993) as Lowe improved it (2017): it follows the history in time
/// and keeps all states in which the object may be. A call gets its moment only when its return demands it,
/// and no state is searched twice.
package struct LinearizabilityChecker<Rules: Specification> {
  package typealias Call = ObservedCall<Rules.Request>

  package enum Verdict: Sendable {
    case linearizable
    case violation(Violation)
    /// The search was given up; nothing is known.
    case undecided
  }

  /// The first return for which there is no moment.
  package struct Violation: Sendable {
    package let call: Call
    /// The history up to that return.
    package let history: [Call]
    /// The states in which the object may have been before.
    package let states: [Rules.State]
  }

  /// The number of configurations after which the search is given up.
  private let limit: Int

  package init(limit: Int = 1_000_000) { self.limit = limit }

  /// A state in which the object may be, with the running calls that were carried out on the way.
  private struct Configuration: Hashable {
    var state: Rules.State
    var carriedOut: Set<Int> = []
  }

  package func check(_ calls: [Call]) -> Verdict {
    var configurations: Set = [Configuration(state: Rules.initial)]
    var running: Set<Int> = []
    var budget = limit
    for moment in Self.moments(of: calls) {
      guard moment.isReturn else {
        running.insert(moment.index)
        continue
      }
      guard
        let next = advance(
          configurations, past: moment.index, of: calls, running, &budget)
      else { return .undecided }
      if next.isEmpty {
        return .violation(
          Violation(
            call: calls[moment.index],
            history: calls.filter { $0.called <= moment.time }.sorted { $0.called < $1.called },
            states: Array(Set(configurations.map(\.state)))))
      }
      configurations = next
      running.remove(moment.index)
    }
    return .linearizable
  }

  private struct Moment {
    let time: Int64
    let isReturn: Bool
    let index: Int
  }

  /// All calls and returns in their order. At equal times, calls come first: such calls may overlap.
  private static func moments(of calls: [Call]) -> [Moment] {
    var moments: [Moment] = []
    for (index, call) in calls.enumerated() {
      moments.append(Moment(time: call.called, isReturn: false, index: index))
      if let returned = call.returned {
        moments.append(Moment(time: returned, isReturn: true, index: index))
      }
    }
    return moments.sorted {
      ($0.time, $0.isReturn ? 1 : 0, $0.index) < ($1.time, $1.isReturn ? 1 : 0, $1.index)
    }
  }

  /// The configurations after a return.
  ///
  /// - Returns: `nil` if the search was given up.
  private func advance(
    _ configurations: Set<Configuration>, past index: Int, of calls: [Call], _ running: Set<Int>,
    _ budget: inout Int
  ) -> Set<Configuration>? {
    var next: Set<Configuration> = []
    var seen: Set<Configuration> = []
    var open: [Configuration] = []
    for var configuration in configurations {
      if configuration.carriedOut.remove(index) != nil {
        next.insert(configuration)
      } else {
        // An unknown outcome may be that nothing happened.
        if calls[index].answer == nil { next.insert(configuration) }
        open.append(configuration)
      }
    }
    while let configuration = open.popLast() {
      guard seen.insert(configuration).inserted else { continue }
      budget -= 1
      if budget < 0 { return nil }
      for other in running.subtracting(configuration.carriedOut) {
        let call = calls[other]
        for way in Rules.ways(of: call.request, in: configuration.state)
        where call.answer == nil || call.answer == way.answer {
          var after = configuration
          after.state = way.next
          if other == index {
            next.insert(after)
          } else {
            after.carriedOut.insert(other)
            open.append(after)
          }
        }
      }
    }
    return next
  }
}

extension LinearizabilityChecker.Violation: CustomStringConvertible {
  package var description: String {
    let start = history.first?.called ?? 0
    let lines = history.map { call in
      let end = call.returned.map { "\(($0 - start) / 1_000)" } ?? "…"
      return
        "  \((call.called - start) / 1_000)–\(end) µs  \(call.id): \(call.request) -> \(call.answer ?? "unknown")"
    }
    return """
      no moment for \(call.id): \(call.request) -> \(call.answer ?? "unknown")
      possible states before its return: \(states.map { "\($0)" }.sorted().joined(separator: "; "))
      \(lines.joined(separator: "\n"))
      """
  }
}
