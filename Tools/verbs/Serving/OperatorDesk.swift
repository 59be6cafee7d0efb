#if Serve
  import ArgumentParser
  import Foundation
  import LedgerRuntime

  /// Carries out what the operator asks for on the live page, with the code of the command's own verbs.
  struct OperatorDesk: Sendable {
    /// What the page sends.
    private struct Order: Decodable {
      let verb: String
      let id: String
      let reason: String
      /// The value of a promise, as JSON.
      let value: String?
      /// Whether to make the change, and not only say what it would be.
      let apply: Bool
    }

    /// A change that was found to be possible.
    private struct Plan: Sendable {
      let verb: String
      let target: Target
      let reason: String?
      /// `nil` if nothing is to be changed yet.
      let change: OperatorChange?
    }

    let reading: ReadingOptions
    let inspector: BlockingInspector

    /// - Parameter body: What the page sent.
    /// - Returns: The result: "would", "done" or "refused", with details in words.
    func answer(_ body: [UInt8]) async -> JSONValue {
      do {
        let found = try await onThread { try plan(of: body) }
        guard let change = found.change else {
          return .answer("would", "\(found.verb) \(found.target.words)")
        }
        switch try await reading.withOperator(reason: found.reason, change) {
        case .done(let words, let changed): return .answer("done", "\(words): \(changed.words)")
        case .refused(_, let message): return .answer("refused", message)
        }
      } catch let failure as Status.Failure {
        return .answer("refused", failure.message ?? "")
      } catch {
        return .answer("refused", Status.Failure(error)?.message ?? "\(error)")
      }
    }

    /// Reads an order, and decides on it as the verb of the command does.
    private func plan(of body: [UInt8]) throws -> Plan {
      guard let order = try? JSONDecoder().decode(Order.self, from: Data(body)) else {
        throw Status.Failure(.usage, "The order is not one that this server understands.")
      }
      guard !order.reason.allSatisfy(\.isWhitespace) else {
        throw Status.Failure(.usage, "Give the reason: the ledger keeps it.")
      }
      guard let type = Self.verbs[order.verb] else {
        throw Status.Failure(.usage, "The page has no action \(order.verb).")
      }
      var arguments = ["--reason=\(order.reason)"]
      if let value = order.value { arguments.append("--value=\(value)") }
      if order.apply { arguments.append("--apply") }
      do {
        let command = try type.parse(arguments + reading.words.arguments(order.id))
        return try plan(of: command, try target(of: order.id))
      } catch let failure where Status.Failure(failure) == nil {
        throw Status.Failure(.usage, type.message(for: failure))
      }
    }

    private static let verbs: [String: any OperatorCommand.Type] = [
      ResolveCommand.verb: ResolveCommand.self, RejectCommand.verb: RejectCommand.self,
      CancelCommand.verb: CancelCommand.self, AbandonCommand.verb: AbandonCommand.self,
      RetryCommand.verb: RetryCommand.self, InvalidateCommand.verb: InvalidateCommand.self,
    ]

    private func plan(of command: some OperatorCommand, _ target: Target) throws -> Plan {
      let change = try command.change(of: target)
      if !command.applying.apply,
        case .refused(let status, let message)? = command.refusal(of: target)
      {
        throw Status.Failure(status, message)
      }
      return Plan(
        verb: type(of: command).verb, target: target, reason: command.applying.reason,
        change: command.applying.apply ? change : nil)
    }

    private func target(of text: String) throws -> Target {
      guard let id = IDPart(text)?.whole else {
        throw Status.Failure(.usage, "The order has no id.")
      }
      return try inspector.withReplay { replayed in
        let subjects: [LedgerSubject] = [
          .promise(PromiseID(entityID: id)), .handler(HandlerID(entityID: id)),
        ]
        for subject in subjects {
          if let found = try Subject(subject, in: replayed) { return try Target(found) }
        }
        throw Status.Failure(.notFound, "The promise or handler no longer exists.")
      }
    }

    /// Reading a ledger blocks, which the threads of tasks must not.
    private func onThread<Value: Sendable>(
      _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
      }
    }
  }

  extension Target {
    /// It with its name and its state.
    fileprivate var words: String {
      let kind =
        switch self {
        case .promise: "promise"
        case .handler: "handler"
        }
      let name = nameText.map { "\($0) (\(id))" } ?? "\(id)"
      return "\(kind) \(name), which is \(state)".escapingControlCharacters
    }
  }

  extension JSONValue {
    fileprivate static func answer(_ result: String, _ details: String) -> JSONValue {
      .object(["result": .string(result), "details": .string(details)])
    }
  }
#endif
