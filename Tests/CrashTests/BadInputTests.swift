import Foundation
import LedgerHistories
import LedgerLMDB
import LedgerSystem
import Logging
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// Directories and files that are not a ledger, or are no longer one.
  @Suite(.timeLimit(.minutes(2))) struct BadInputTests {
    private let temporary: TemporaryLedger
    private var dataFile: String { temporary.path + "/generation-000001/data.mdb" }

    init() throws { temporary = try TemporaryLedger() }

    // MARK: Not a ledger

    @Test func anythingButALedgerIsRefusedAndLeftAlone() async throws {
      let files = FileManager.default
      let file = temporary.path
      #expect(files.createFile(atPath: file, contents: Data("hello".utf8)))
      #expect(await codeOfOpening() == .notALedger)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "hello")
      try files.removeItem(atPath: file)
      try files.createDirectory(atPath: file, withIntermediateDirectories: false)
      #expect(files.createFile(atPath: file + "/photo", contents: Data([1])))
      #expect(await codeOfOpening() == .notALedger)
      #expect(try files.contentsOfDirectory(atPath: file) == ["photo"])
      #expect(throws: LedgerError.self) { _ = try BlockingInspector(at: file) }
    }

    @Test func missingParentIsNamed() async throws {
      let path = temporary.path + "/none/ledger"
      let error = await #expect(throws: LedgerError.self) {
        _ = try await Ledger.open(at: path, as: .app)
      }
      #expect(error?.code == .notFound)
      #expect(error?.message.contains(temporary.path + "/none,") == true)
    }

    // MARK: Damaged files

    @Test func truncatedDataIsRefusedUnlessOnlyFreePagesAreGone() async throws {
      let id = try await fill()
      let whole = try contents()
      for length in stride(from: 0, to: whole.count, by: 2_048) {
        try write(Array(whole[..<length]))
        switch await codeOfOpening() {
        case LedgerError.Code.corrupt: continue
        case nil:
          let findings = try LedgerAudit(BlockingInspector(at: temporary.path))
            .findings(acknowledged: ["C \(id)", "R \(id)"])
          #expect(findings.isEmpty, "\(length)")
        case let code: Issue.record("\(length): \(String(describing: code))")
        }
      }
      try write(whole)
      try await expectWorks(temporary)
    }

    @Test func aFlippedBitInAFrameNeverGoesUnnoticed() async throws {
      try await fill()
      let whole = try contents()
      // The newest frame: an event and the session that wrote it.
      let frame = try newestFrame()
      let places = ranges(of: frame, in: whole)
      try #require(!places.isEmpty)
      for offset in frame.indices {
        var damaged = whole
        for place in places { damaged[place + offset] ^= 1 << (offset % 8) }
        try write(damaged)
        #expect(await codeOfOpening() == .corrupt, "byte \(offset)")
      }
      try write(whole)
      try await expectWorks(temporary)
    }

    @Test func aFlippedBitInALargeValueStopsOnlyThatValue() async throws {
      let id = try await fill()
      let whole = try contents()
      let places = ranges(of: [UInt8](repeating: 0xA7, count: 512), in: whole)
      try #require(!places.isEmpty)
      var damaged = whole
      for place in places { damaged[place + 100] ^= 4 }
      try write(damaged)
      let ledger = try await temporary.open()
      let promise = try ledger.promise(id: id, of: [UInt8].self)
      let error = await #expect(throws: LedgerError.self) { _ = try await promise.consume() }
      #expect(error?.code == .corrupt)
      #expect(try await ledger.createPromise(of: Int.self).fulfill(1).isSuccess)
      await ledger.close()
    }

    @Test func aFlippedBitInTheMetadataIsNoticed() async throws {
      try await fill()
      let whole = try contents()
      let record = try metadataRecord()
      let places = ranges(of: record, in: whole)
      try #require(!places.isEmpty)
      for offset in record.indices {
        var damaged = whole
        for place in places { damaged[place + offset] ^= 0x10 }
        try write(damaged)
        #expect(await codeOfOpening() == .corrupt, "byte \(offset)")
      }
    }

    @Test func newerFormatIsRefused() async throws {
      try await fill()
      let old = try metadataRecord()
      var metadata = try LedgerMetadata(decoding: old.span)
      metadata.formatVersion += 1
      var changed = try contents()
      for place in ranges(of: old, in: changed) {
        changed.replaceSubrange(place..<(place + old.count), with: metadata.encoded)
      }
      try write(changed)
      let error = await #expect(throws: LedgerError.self) { _ = try await temporary.open() }
      #expect(error?.code == .incompatibleFormat)
      #expect(
        error?.message
          == "The ledger has format version 2; this build reads up to 1. Update the library.")
    }

    // MARK: Arguments

    @Test func argumentsOutOfBoundsAreRefused() async throws {
      #expect(throws: LedgerError.self) { _ = try PromiseKey("") }
      #expect(throws: LedgerError.self) { _ = try PromiseKey(String(repeating: "k", count: 513)) }
      #expect(throws: LedgerError.self) { _ = try PromiseKey("a\nb") }
      var configuration = LedgerConfiguration()
      configuration.maximumPayloadSizeInBytes = 1_000
      let ledger = try await temporary.open(configuration: configuration)
      let promise = try await ledger.createPromise(of: [UInt8].self)
      await expect(.payloadTooLarge) {
        try await promise.fulfill([UInt8](repeating: 0, count: 1_001))
      }
      await expect(.invalidArgument) {
        try await ledger.createPromise(of: Int.self, label: String(repeating: "l", count: 257))
      }
      await expect(.invalidArgument) {
        try await ledger.createPromise(
          of: Int.self, tags: Array(repeating: "t", count: TextLimit.maximumTagCount + 1))
      }
      try await promise.fulfill([1])
      await expect(.typeMismatch) {
        try await ledger.promise(id: promise.id, of: Int.self).consume()
      }
      await expect(.notFound) {
        try await ledger.promise(id: PromiseKey("none").promiseID, of: Int.self).consume()
      }
      #expect(try await promise.consume() == [1])
      await ledger.close()
    }

    @Test(arguments: [-1, (16 << 20) + 1])
    func aFileThatGrowsTooFarAheadIsRefused(byteCount: Int) async throws {
      var configuration = LedgerConfiguration()
      configuration.largestGrowthInBytes = byteCount
      await expect(.invalidArgument) {
        _ = try await temporary.open(configuration: configuration)
      }
    }

    /// The file of one ledger grows ahead, and that of the other one only with its events.
    @Test(arguments: [0, 16 << 20]) func statisticsTellWhatIsReserved(byteCount: Int) async throws {
      var configuration = LedgerConfiguration()
      configuration.largestGrowthInBytes = byteCount
      let ledger = try await temporary.open(configuration: configuration)
      let promise = try await ledger.createPromise(of: [UInt8].self)
      try await promise.fulfill([UInt8](repeating: 7, count: 50_000))
      await ledger.close()
      let space = try BlockingInspector(at: temporary.path).space {}
      #expect((space.reservedByteCount > 1 << 20) == (byteCount > 0), "\(space)")
      #expect(space.reservedByteCount <= byteCount + 200_000, "\(space)")
      #expect(space.usedByteCount > 50_000)
      #expect(
        space.usedByteCount + space.freeByteCount + space.reservedByteCount
          == space.fileByteCount)
    }

    @Test func fullLedgerStillConsumesAndFreezes() async throws {
      var configuration = LedgerConfiguration()
      configuration.sizeLimitInBytes = 8 << 20
      let ledger = try await temporary.open(configuration: configuration)
      let value = [UInt8](repeating: 0x5C, count: 100_000)
      var resolved: [DurablePromise<[UInt8]>] = []
      var error: LedgerError?
      while error == nil, resolved.count < 200 {
        do {
          let promise = try await ledger.createPromise(of: [UInt8].self)
          try await promise.fulfill(value)
          resolved.append(promise)
        } catch let refusal as LedgerError {
          error = refusal
        }
      }
      #expect(error?.code == .ledgerFull)
      #expect(resolved.count > 10)
      for promise in resolved { #expect(try await promise.consume() == value) }
      #expect(try await ledger.freeze())
      try await ledger.unfreeze()
      #expect(try await resolved.first?.record?.status == .consumed)
      await ledger.close()
      let size = try contents().count
      #expect(size <= configuration.sizeLimitInBytes)
      // With a higher limit it works again.
      try await expectWorks(temporary)
    }

    // MARK: Support

    /// A ledger with a large value and some events.
    @discardableResult private func fill() async throws -> PromiseID {
      let ledger = try await temporary.open()
      let promise = try await ledger.createPromise(of: [UInt8].self)
      try await promise.fulfill([UInt8](repeating: 0xA7, count: 9_000))
      await ledger.close()
      return promise.id
    }

    private func codeOfOpening() async -> LedgerError.Code? {
      var configuration = LedgerConfiguration()
      configuration.logger = .silent
      do {
        await (try temporary.open(configuration: configuration)).close()
        return nil
      } catch {
        #expect(error is LedgerError)
        return (error as? LedgerError)?.code
      }
    }

    private func expect<R>(
      _ code: LedgerError.Code, _ body: () async throws -> R,
      sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async {
      let error = await #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
        _ = try await body()
      }
      #expect(error?.code == code, sourceLocation: sourceLocation)
    }

    private func contents() throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: dataFile)))
    }

    private func write(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: dataFile))
      // Events that came since the bytes were read are to be gone.
      try? FileManager.default.removeItem(atPath: temporary.path + "/wake")
    }

    private func metadataRecord() throws -> [UInt8] {
      let inspector = try BlockingInspector(at: temporary.path)
      return LedgerMetadata(ledgerID: inspector.id, createdAt: inspector.createdAt).encoded
    }

    private func newestFrame() throws -> [UInt8] {
      let environment = try Environment.open(
        at: temporary.path + "/generation-000001", configuration: Configuration(),
        tables: [TableDescription("log", keys: .integer)])
      let log = try environment.table(named: "log")
      let frame = try environment.read { transaction -> [UInt8] in
        guard let last = try transaction.lastEntry(in: log) else { return [] }
        return last.value.indices.map { last.value[$0] }
      }
      try environment.close()
      return frame
    }
  }
}

/// The positions of `pattern` in `bytes`; old pages may still contain it, too.
private func ranges(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
  let data = Data(bytes)
  var places: [Int] = []
  var start = data.startIndex
  while let range = data.range(of: Data(pattern), in: start..<data.endIndex) {
    places.append(range.lowerBound)
    start = range.upperBound
  }
  return places
}
