import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct PayloadRoundTripTests {
  private static let seeds: Range<UInt64> = 0..<300

  @Test func aRandomPromiseCreatedComesBack() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = Self.promiseCreated(&random)
      #expect(try PromiseCreated(decoding: payload.encoded) == payload, "seed \(seed)")
    }
  }

  @Test func aRandomPromiseCreatedIsWellFormedAndShowsItsDeadlineUndecoded() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = Self.promiseCreated(&random)
      let encoded = payload.encoded
      #expect(PromiseCreated.isWellFormed(encoded), "seed \(seed)")
      #expect(PromiseCreated.deadline(ofEncoded: encoded) == payload.deadline, "seed \(seed)")
      #expect(
        PromiseCreated.deadlineEffect(ofEncoded: encoded) == payload.deadlineEffect,
        "seed \(seed)")
    }
  }

  @Test func aRandomPromiseResolvedComesBack() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = Self.promiseResolved(&random)
      #expect(try PromiseResolved(decoding: payload.encoded) == payload, "seed \(seed)")
    }
  }

  @Test func aRandomPromiseResolvedShowsItsOutcomeUndecoded() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = Self.promiseResolved(&random)
      let encoded = payload.encoded
      #expect(PromiseResolved.outcome(ofEncoded: encoded) == payload.outcome, "seed \(seed)")
      #expect(PromiseResolved.resolvedAt(ofEncoded: encoded) == payload.resolvedAt, "seed \(seed)")
    }
  }

  @Test func aRandomSessionOpenedComesBack() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = SessionOpened(
        role: SessionRole.allCases.randomElement(using: &random) ?? .app,
        processID: Int32(truncatingIfNeeded: random.next()),
        instance: random.text(Int.random(in: 0...30, using: &random)),
        host: random.text(Int.random(in: 0...30, using: &random)),
        libraryVersion: random.text(Int.random(in: 0...10, using: &random)))
      #expect(try SessionOpened(decoding: payload.encoded) == payload, "seed \(seed)")
    }
  }

  @Test func aRandomPromiseAbandonedComesBack() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let payload = PromiseAbandoned(reason: random.text(Int(seed)))
      #expect(try PromiseAbandoned(decoding: payload.encoded) == payload, "seed \(seed)")
    }
  }

  /// Bytes that replay takes for well-formed decode, unless a text is not UTF-8; and the reverse.
  @Test func aDamagedPromiseCreatedIsWellFormedExactlyIfItDecodes() {
    for seed in 0..<5_000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var encoded = PromiseCreated(
        typeTag: "type", key: "key", label: "label", tags: ["a", "b"], deadline: .at(1),
        idempotencyKey: "id"
      ).encoded
      encoded[Int.random(in: 0..<16, using: &random)] = UInt8.random(in: 0...3, using: &random)
      let lengthAt = Int.random(in: 16..<encoded.count, using: &random)
      if random.chance(1, of: 2) { encoded[lengthAt] = UInt8.random(in: 0...9, using: &random) }

      let decodes = (try? PromiseCreated(decoding: encoded)) != nil
      #expect(PromiseCreated.isWellFormed(encoded) == decodes, "seed \(seed)")
    }
  }

  /// A walk that only counts promises does not decode payloads that are surely intact.
  @Test func aDamagedPayloadIsNotSurelyIntact() {
    var intactCount = 0
    for seed in 0..<5_000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var created = Self.promiseCreated(&random).encoded
      var resolved = Self.promiseResolved(&random).encoded
      if random.chance(3, of: 4) {
        created[.random(in: created.indices, using: &random)] = .random(in: 0...255, using: &random)
        resolved[.random(in: resolved.indices, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if PromiseCreated.isWellFormed(created), PromiseCreated.isSurelyIntact(encoded: created) {
        #expect(throws: Never.self, "seed \(seed)") { try PromiseCreated(decoding: created) }
        intactCount += 1
      }
      if PromiseResolved.isWellFormed(resolved), PromiseResolved.isSurelyIntact(encoded: resolved) {
        #expect(throws: Never.self, "seed \(seed)") {
          let payload = try PromiseResolved(decoding: resolved)
          if let content = payload.content { try payload.check(content) }
        }
        intactCount += 1
      }
    }
    #expect(intactCount > 100)
  }

  @Test func textThatIsNotUTF8IsDamage() {
    for text in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
      let error = #expect(throws: LedgerError.self, "\(text)") {
        try PromiseAbandoned(decoding: [UInt8(text.count), 0] + text)
      }
      #expect(error?.code == .corrupt, "\(text)")
    }
  }

  @Test(
    arguments: [
      "0 byte of payload": [], "role 3": [3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      "role 255": [255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [String: [UInt8]])
  func aSessionOpenedWithAnUnknownRoleIsDamage(what: String, payload: [UInt8]) {
    let error = #expect(throws: LedgerError.self) { try SessionOpened(decoding: payload) }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: [2, 255] as [UInt8])
  func anUnknownNumberIsDamage(number: UInt8) {
    #expect(throws: LedgerError.self) { try SessionClosed(decoding: [number]) }
    #expect(throws: LedgerError.self) { try PromiseConsumed(decoding: [number]) }
    #expect(throws: LedgerError.self) {
      try PromiseCreated(decoding: [0, number, 0, 0, 0, 0, 0, 0, 1, 0, 65])
    }
    #expect(throws: LedgerError.self) {
      try PromiseResolved(decoding: [0, number | 4] + [UInt8](repeating: 0, count: 14))
    }
  }

  private static func promiseCreated(_ random: inout SeededGenerator) -> PromiseCreated {
    let tagCount = Int.random(in: 0...16, using: &random)
    let tags = (0..<tagCount).map { _ in random.text(3) }
    func text(_ random: inout SeededGenerator) -> String? {
      random.chance(1, of: 2) ? random.text(Int.random(in: 0...40, using: &random)) : nil
    }
    return PromiseCreated(
      typeTag: random.text(10), key: text(&random), label: text(&random), tags: tags,
      deadline: random.chance(1, of: 2) ? .at(Int64(truncatingIfNeeded: random.next())) : nil,
      deadlineEffect: random.chance(1, of: 2) ? .fulfils : .timesOut,
      idempotencyKey: text(&random))
  }

  private static func promiseResolved(_ random: inout SeededGenerator) -> PromiseResolved {
    PromiseResolved(
      outcome: PromiseOutcomeKind.allCases.randomElement(using: &random) ?? .fulfilled,
      resolvedAt: .at(Int64(truncatingIfNeeded: random.next())),
      idempotencyKey: random.chance(1, of: 2)
        ? random.text(Int.random(in: 0...40, using: &random)) : nil,
      content: random.chance(1, of: 5)
        ? nil : random.bytes(Int.random(in: 0...300, using: &random)))
  }
}
