import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Texts that no redacted recording may hold, one for each place where a text can be.
struct Secrets {
  private static let places = [
    "key", "label", "tag", "value", "large", "error", "details", "reason", "idempotency",
    "argument", "lane", "step-key", "step-value", "step-error", "scope", "handler-key",
    "instance", "abandoned", "cancelled", "invalidation",
  ]

  /// A text in which no eight bytes are those of anything else.
  private static func text(_ place: String) -> String {
    var generator = SeededGenerator(seed: UInt64(place.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
    return String((0..<24).map { _ in "!#%&*+;=?@^~|".randomElement(using: &generator) ?? "!" })
  }

  let all = Self.places.map(Self.text)

  subscript(place: String) -> String { Self.text(place) }

  struct Shipping: LedgerWork {
    static let kind = "shipping"
    let address: String

    func run(in call: WorkCall<Void>) async throws -> String {
      let secrets = Secrets()
      let value = try await call.step("pack", key: secrets["step-key"]) { _ in
        secrets["step-value"]
      }
      do {
        try await call.step("send") { _ -> Void in
          throw Permanent(StoredError(domain: "post", message: secrets["step-error"]))
        }
      } catch is StepFailure {
        let signal = try await call.promise("signal", of: String.self)
        _ = try await call.value(of: signal)
      }
      return value
    }
  }

  struct Notify: LedgerHandler {
    static let kind = "notify"
    let address: String

    func run(in call: HandlerCall<Void>) async throws -> String { address }
  }

  /// Writes a ledger with a secret in every place.
  func write(to temporary: TemporaryLedger, isCompacted: Bool) async throws {
    var configuration = LedgerConfiguration()
    configuration.instance = self["instance"]
    configuration.runner = .manual
    configuration.automaticCompaction = nil
    try configuration.handlers.register(Shipping.self)
    try configuration.handlers.register(Notify.self)
    let ledger = try await temporary.open(configuration: configuration)
    try await writePromises(ledger)
    try await writeCode(ledger)
    if isCompacted {
      // Records of what is still open take the place of its events.
      _ = try await ledger.compact(.everything())
      let last = try await ledger.createPromise(of: String.self)
      try await last.fulfill(self["value"])
      try await last.abandon(reason: self["abandoned"])
      let other = try await ledger.createPromise(
        key: PromiseKey(self["key"] + "2"), of: String.self, label: self["label"])
      try await other.cancel(reason: self["cancelled"])
    }
    await ledger.close()
  }

  private func writePromises(_ ledger: Ledger) async throws {
    let promise = try await ledger.createPromise(
      key: PromiseKey(self["key"]), of: String.self, label: self["label"], tags: [self["tag"]])
    try await promise.fulfill(
      self["value"], idempotencyKey: IdempotencyKey(self["idempotency"]))
    let large = try await ledger.createPromise(of: String.self)
    try await large.fulfill(String(repeating: self["large"], count: 300))
    let failed = try await ledger.createPromise(of: String.self)
    try await failed.reject(
      StoredError(
        domain: "shop", code: 7, message: self["error"],
        payload: .init(typeTag: "bytes", bytes: Array(self["details"].utf8))))
    let dropped = try await ledger.createPromise(of: String.self)
    try await dropped.cancel(reason: self["cancelled"])
    let abandoned = try await ledger.createPromise(of: String.self)
    try await abandoned.abandon(reason: self["abandoned"])
    let other = try await ledger.createPromise(of: Int.self)
    try await other.cancel(reason: self["reason"])
  }

  private func writeCode(_ ledger: Ledger) async throws {
    _ = try await ledger.start(
      Shipping(address: self["argument"]),
      options: WorkOptions(lane: WorkLane(self["lane"])))
    _ = try await LedgerRunner(ledger).drain(until: .now + .seconds(20))
    let handler = try await ledger.createHandler(
      Notify(address: self["argument"]), key: HandlerKey(self["handler-key"]),
      scopes: [self["scope"]]
    ).handler
    try await handler.invalidate(reason: self["invalidation"])
    _ = try await ledger.createHandler(
      Notify(address: self["argument"]), scopes: [self["scope"]])
  }
}
