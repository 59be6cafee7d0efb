extension Explanation {
  /// Other work of the lane that comes first.
  @nonexhaustive public enum LaneBlock: Sendable, Hashable {
    /// As much work runs as the lane is wide.
    case full(WorkLane, by: [LaneMember])
    /// Work that waits for its next attempt keeps its place in the lane.
    case held(WorkLane, by: [LaneMember])
    /// Work that was created earlier is due, too.
    case behind(WorkLane, [LaneMember])
  }

  /// Other work of a lane.
  public struct LaneMember: Sendable, Hashable {
    /// The state of the work.
    @nonexhaustive public enum State: Sendable, Hashable {
      /// A session runs it.
      case running(in: SessionID)
      /// It was run, and waits for its next attempt; the time is `nil` if that may begin now.
      case waiting(until: Timestamp?)
      /// It is due, and was not run yet.
      case due
    }

    /// The promise of the work.
    public let promise: PromiseID
    /// The name of its kind; `nil` if only a later version can read the work.
    public let kind: String?
    /// Its state; `nil` if only a later version can read the work.
    public let state: State?

    package init(promise: PromiseID, kind: String?, state: State?) {
      self.promise = promise
      self.kind = kind
      self.state = state
    }
  }
}

extension Explanation.LaneBlock: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .full(let lane, let members):
      "Lane \"\(lane.name)\" is full, with a width of \(lane.width): \(members.words)."
    case .held(let lane, let members):
      "Lane \"\(lane.name)\", with a width of \(lane.width), is held by work that will be run again: \(members.words)."
    case .behind(let lane, let members):
      "Earlier work of lane \"\(lane.name)\" is due first: \(members.words)."
    }
  }

  private var members: [Explanation.LaneMember] {
    switch self {
    case .full(_, let members), .held(_, let members), .behind(_, let members): members
    }
  }

  var facts: ReasonFacts {
    let name =
      switch self {
      case .full: "laneFull"
      case .held: "laneHeld"
      case .behind: "behindInLane"
      }
    return ReasonFacts(
      name, promises: members.map(\.promise), sessions: members.compactMap(\.session))
  }

  var remedies: [Explanation.Remedy] {
    let explained = members.map { Explanation.Remedy.explain($0.promise) }
    switch self {
    case .full: return [.waitForCode] + explained
    case .held: return explained + members.map { .park($0.promise) }
    case .behind:
      let kinds = members.compactMap(\.kind)
      let distinct = kinds.enumerated().filter { !kinds[..<$0.offset].contains($0.element) }
      return distinct.map { .run(kind: $0.element) } + members.map { .park($0.promise) }
    }
  }
}

extension Explanation.LaneMember {
  fileprivate var session: SessionID? {
    if case .running(let session) = state { session } else { nil }
  }

  fileprivate var words: String {
    let name = "promise \(promise)" + (kind.map { " of the kind \"\($0)\"" } ?? "")
    return switch state {
    case .running(let session): "\(name) runs in session \(session)"
    case .waiting(let time?): "\(name) runs again at \(time)"
    case .waiting(nil): "\(name) is due again"
    case .due: "\(name) is due"
    case nil: "\(name) can be read only by a later version"
    }
  }
}

extension [Explanation.LaneMember] {
  fileprivate var words: String { map(\.words).joined(separator: "; ") }
}
