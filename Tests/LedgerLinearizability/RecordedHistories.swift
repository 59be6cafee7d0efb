/// What several processes did to the objects of one ledger, made of the lines that they printed:
///
/// - `call ID TIME OBJECT WORD...`, before a request;
/// - `code ID TIME VALUE`, when the code of a handler, or of a consumption, runs in the call;
/// - `answer ID TIME TEXT`, after the answer;
/// - `returns ID TIME OBJECT VALUE`, right before the code of work returns.
///
/// An id begins with the name of the process and a dot. The name of an object ends with a slash, the
/// letter of its kind, and a number: `p` for a promise, `h` for a handler, `w` for work.
///
/// Histories of different objects are checked by themselves: a history of several objects is linearizable
/// if that of each is (Herlihy and Wing 1990).
package struct RecordedHistories: Sendable {
  private struct Entry: Sendable {
    let id: String
    let words: [Substring]
    let called: Int64
    var code: (time: Int64, value: String)?
    var answer: (time: Int64, text: String)?

    var process: String { String(id.prefix { $0 != "." }) }

    /// Whether nothing can have happened: the wait was cancelled, or the commit did not begin.
    var hadNoEffect: Bool { answer?.text == "nothing" }

    var knownAnswer: String? {
      guard let answer, answer.text != "unknown" else { return nil }
      return answer.text
    }
  }

  private struct Death: Sendable {
    let session: String?
    /// The time before it was killed.
    let began: Int64
    /// The time at which it was certainly gone.
    let ended: Int64
  }

  private var objects: [String: [Entry]] = [:]
  private var places: [String: (object: String, index: Int)] = [:]
  private var deaths: [String: Death] = [:]

  package init() {}

  /// Notes a line of a process.
  ///
  /// - Returns: Whether the line has one of the forms.
  @discardableResult package mutating func note(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    guard words.count >= 3, let time = Int64(words[2]) else { return false }
    let id = String(words[1])
    switch words[0] {
    case "call" where words.count >= 5:
      add(Entry(id: id, words: Array(words[4...]), called: time), to: String(words[3]))
    case "returns" where words.count == 5:
      add(Entry(id: id, words: ["code-returns", words[4]], called: time), to: String(words[3]))
    case "code" where words.count == 4:
      return change(id) { $0.code = (time, String(words[3])) }
    case "answer":
      return change(id) { $0.answer = (time, words[3...].joined(separator: " ")) }
    default: return false
    }
    return true
  }

  private mutating func add(_ entry: Entry, to object: String) {
    places[entry.id] = (object, objects[object, default: []].count)
    objects[object, default: []].append(entry)
  }

  private mutating func change(_ id: String, _ body: (inout Entry) -> Void) -> Bool {
    guard let (object, index) = places[id], var entries = objects[object] else { return false }
    body(&entries[index])
    objects[object] = entries
    return true
  }

  /// Notes that a process was killed, between two times. Its session is `nil` if it had not told it.
  package mutating func noteDeath(
    of process: String, session: String?, between began: Int64, and ended: Int64
  ) {
    deaths[process] = Death(session: session, began: began, ended: ended)
  }

  /// Checks the histories of all objects.
  package func check() -> Result {
    var result = Result()
    for (object, entries) in objects.sorted(by: { $0.key < $1.key }) {
      let kind = object.split(separator: "/").last?.first
      switch kind {
      case "p":
        result.add(
          object, LinearizabilityChecker<PromiseSpecification>(), promiseCalls(of: entries))
      case "h":
        result.add(
          object, LinearizabilityChecker<HandlerSpecification>(), handlerCalls(of: entries))
      case "w":
        result.add(object, LinearizabilityChecker<WorkSpecification>(), calls(of: entries))
      default: result.findings.append("\(object): there are no such objects")
      }
    }
    return result
  }
}

// MARK: - From lines to calls

/// A request that can be made of the words of a line.
private protocol WordedRequest: Sendable {
  init?(_ words: some Sequence<Substring>)
}

extension PromiseRequest: WordedRequest {}
extension HandlerRequest: WordedRequest {}
extension WorkRequest: WordedRequest {}

extension RecordedHistories {
  private func calls<Request: WordedRequest>(of entries: [Entry]) -> [ObservedCall<Request>] {
    entries.compactMap(call(of:))
  }

  private func call<Request: WordedRequest>(of entry: Entry) -> ObservedCall<Request>? {
    guard !entry.hadNoEffect, let request = Request(entry.words) else { return nil }
    return ObservedCall(
      entry.id, request, answer: entry.knownAnswer, called: entry.called,
      returned: end(of: entry))
  }

  /// A consumption with code has two moments: the outcome is read, the code runs, and the consumption is
  /// recorded.
  private func promiseCalls(of entries: [Entry]) -> [ObservedCall<PromiseRequest>] {
    entries.flatMap { entry -> [ObservedCall<PromiseRequest>] in
      guard entry.words.first == "consume-after", entry.words.count == 2 else {
        return calls(of: [entry])
      }
      return halves(
        of: entry, .handle, .consumeHandled(session: String(entry.words[1])))
    }
  }

  private func end(of entry: Entry) -> Int64? {
    // What code returns is recorded some time after it.
    entry.answer?.time ?? deaths[entry.process]?.ended
  }

  private func handlerCalls(of entries: [Entry]) -> [ObservedCall<HandlerRequest>] {
    var calls: [ObservedCall<HandlerRequest>] = []
    var processes: Set<String> = []
    for entry in entries {
      guard entry.words.first == "call", entry.words.count == 2 else {
        if let call: ObservedCall<HandlerRequest> = call(of: entry) { calls.append(call) }
        continue
      }
      processes.insert(entry.process)
      let session = String(entry.words[1])
      calls += halves(
        of: entry, .start(session: session, call: entry.id),
        .finish(session: session, call: entry.id))
      if let answer = entry.answer, entry.knownAnswer == nil {
        calls.append(
          ObservedCall(
            "\(entry.id).left", .isLeft(call: entry.id), answer: nil, called: answer.time,
            returned: nil))
      }
    }
    for process in processes.sorted() {
      guard let death = deaths[process], let session = death.session else { continue }
      calls.append(
        ObservedCall(
          "\(process).end", .sessionEnds(session), answer: nil, called: death.began, returned: nil))
    }
    return calls
  }

  /// The two requests of a call whose code notes when it runs. Without that note, the call did not get to the
  /// second.
  private func halves<Request>(
    of entry: Entry, _ first: Request, _ second: Request
  ) -> [ObservedCall<Request>] {
    guard let code = entry.code else {
      if entry.hadNoEffect { return [] }
      return [
        ObservedCall(
          entry.id, first, answer: entry.knownAnswer, called: entry.called,
          returned: end(of: entry))
      ]
    }
    let start = ObservedCall(
      entry.id, first, answer: "runs \(code.value)", called: entry.called, returned: code.time)
    if entry.hadNoEffect { return [start] }
    return [
      start,
      ObservedCall(
        "\(entry.id).end", second, answer: entry.knownAnswer, called: code.time,
        returned: end(of: entry)),
    ]
  }
}

// MARK: - Results

extension RecordedHistories {
  /// What the checks found.
  package struct Result: Sendable {
    package fileprivate(set) var findings: [String] = []
    package fileprivate(set) var objectCount = 0
    package fileprivate(set) var callCount = 0
    /// The calls whose outcome their caller does not know.
    package fileprivate(set) var unknownCount = 0
    /// The calls that began while another one of their object ran.
    package fileprivate(set) var overlapCount = 0
    /// The number of answers to each request, such as `consume alreadyConsumed`.
    package fileprivate(set) var answers: [String: Int] = [:]

    package init() {}

    package mutating func add(_ other: Result) {
      findings += other.findings
      objectCount += other.objectCount
      callCount += other.callCount
      unknownCount += other.unknownCount
      overlapCount += other.overlapCount
      answers.merge(other.answers, uniquingKeysWith: +)
    }

    fileprivate mutating func add<Rules: Specification>(
      _ object: String, _ checker: LinearizabilityChecker<Rules>,
      _ calls: [ObservedCall<Rules.Request>]
    ) {
      objectCount += 1
      callCount += calls.count
      unknownCount += calls.count { $0.answer == nil }
      overlapCount += calls.count { call in
        calls.contains { other in
          other.called < call.called && other.returned.map { $0 > call.called } ?? false
        }
      }
      for call in calls {
        let words = [
          "\(call.request)".split(separator: " ").first,
          (call.answer ?? "unknown").split(separator: " ").first,
        ]
        answers[words.compactMap { $0.map(String.init) }.joined(separator: " "), default: 0] += 1
      }
      switch checker.check(calls) {
      case .linearizable: break
      case .undecided: findings.append("\(object): the search was given up")
      case .violation(let violation): findings.append("\(object): \(violation)")
      }
    }
  }
}
