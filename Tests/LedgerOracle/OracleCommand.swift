/// A command on a ledger in the terms of the oracle: plain numbers instead of ids, times and bytes.
package enum OracleCommand: Hashable, Sendable, Codable {
  // MARK: Promises

  case create(Int, Oracle.Creation, isStrict: Bool, adoptsAny: Bool)
  case resolve(Int, Oracle.Resolve)
  case consume(Int)
  case abandon(Int)
  case timeOutDue
  case look(Int)

  // MARK: Work

  case claim([Int])
  case finish(Int, age: Int, Oracle.WorkResult, [Oracle.Effect], Oracle.Policy)
  case step(Int, age: Int, Int, Oracle.StepResult, failures: Int, [Oracle.Effect])
  case suspend(Int, age: Int, until: Oracle.Condition, awaiting: [Int] = [], failingStep: Int?)
  case takeUp(Int, age: Int)
  case release(Int, age: Int, Oracle.ReleaseReason)
  case cancel(Int)
  case amend(Int, Oracle.Amendment)
  case retry(Int)
  case follow(Int, by: [Int])
  case settleJoints([Int])
  case releaseLeft([Int])

  // MARK: Handlers

  case createHandler(Int, Oracle.HandlerCreation)
  /// - Parameter expectsPresent: Whether the caller expects the present binding, or one that is
  ///   gone; `nil` if it expects none.
  case rebind(Int, Oracle.Binding, expectsPresent: Bool?)
  case call(Int, Int, references: [Int], expectsPresent: Bool?)
  case retryCall(Int, Int, age: Int, mayTakeOwn: Bool)
  case releaseCall(Int, Int, age: Int)
  case finishCall(Int, Int, age: Int, fails: Bool, [Oracle.Effect], rejects: Int?)
  case invalidate(Int, Int, runsCode: Bool, expectsPresent: Bool?)
  case createTogether(Int, Oracle.Creation, Int, Oracle.HandlerCreation)

  // MARK: Sessions and the snapshot

  case open(Oracle.Role)
  case freeze
  case unfreeze
  case close(Int, died: Bool)
  case fold
  case removeRecords
  case deleteEvents
}

/// A command with the session and the clock that it is decided with.
package struct OracleStep: Hashable, Sendable, Codable {
  package var session: Int
  /// The reading of the session's clock, in nanoseconds.
  package var now: Int
  package var command: OracleCommand

  package init(_ session: Int, at now: Int, _ command: OracleCommand) {
    (self.session, self.now, self.command) = (session, now, command)
  }
}

extension Oracle {
  package enum Role: Int, Hashable, Sendable, Codable, CaseIterable { case app, other }

  package enum Outcome: Int, Hashable, Sendable, Codable, CaseIterable {
    case fulfilled, rejected, cancelled, timedOut
  }

  package struct Resolve: Hashable, Sendable, Codable {
    package var outcome: Outcome
    package var value: Int
    /// Whether the content is too large for an event.
    package var isLarge = false
    /// The type of the value, if it is checked.
    package var type: Int?
    package var key: Int?
    package var isStrict = true
    package var isForced = false

    package init(_ outcome: Outcome, _ value: Int) {
      (self.outcome, self.value) = (outcome, value)
    }
  }

  package enum WorkResult: Hashable, Sendable, Codable {
    case returned(type: Int, value: Int, isLarge: Bool)
    case failed(Int, isFinal: Bool)
    case cancelled(Int)
  }

  package enum StepResult: Hashable, Sendable, Codable {
    case returned, failed, cancelled
  }

  package enum ReleaseReason: Int, Hashable, Sendable, Codable, CaseIterable {
    case died, frozen, closed, cancelled, notRunnable, waiting, retrying, parked
  }

  /// A policy for failures: its delays are short, and the same after every failure.
  package struct Policy: Hashable, Sendable, Codable {
    package var failureLimit: Int
    package var parks: Bool

    package init(failureLimit: Int, parks: Bool) {
      (self.failureLimit, self.parks) = (failureLimit, parks)
    }
  }

  package enum Parking: Int, Hashable, Sendable, Codable, CaseIterable {
    case unchanged, parked, resumed
  }

  package struct Amendment: Hashable, Sendable, Codable {
    package var parking = Parking.unchanged
    package var trigger: Trigger?
    package var options: Options?

    package init() {}
  }

  package struct Effect: Hashable, Sendable, Codable {
    package enum Action: Hashable, Sendable, Codable {
      case create(Int, Creation)
      case resolve(Int, Resolve)
      case createHandler(Int, HandlerCreation)
      case call(Int, Int)
      case invalidate(Int, Int)
    }

    package var action: Action
    package var isRequired: Bool

    package init(_ action: Action, isRequired: Bool) {
      (self.action, self.isRequired) = (action, isRequired)
    }
  }
}
