import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct FrameTests {
  private let commit = CommitID(session: .numbered(5), number: 9)

  private func batch(payloadSizes: [Int]) throws -> EventBatch {
    var batch = EventBatch()
    for (index, size) in payloadSizes.enumerated() {
      let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: size)
      try batch.append(.raw(.promiseResolved, on: .numbered(index), payload: payload))
    }
    return batch
  }

  private func frames(payloadSizes: [Int], from position: UInt64 = 1) throws
    -> [PureLedger.StoredFrame]
  {
    try batch(payloadSizes: payloadSizes)
      .frames(from: Position(rawValue: position), commit: commit)
  }

  /// The header of a frame.
  private func header(_ positions: ClosedRange<UInt64>, _ number: UInt32) -> FrameHeader {
    FrameHeader(
      eventCount: positions.count, firstPosition: Position(rawValue: positions.lowerBound),
      byteCount: 4_080, flags: [], number: number, commit: commit)
  }

  @Test func aWalkRefusesAFrameThatDoesNotFollow() throws {
    var walk = FrameWalk(after: .start)
    #expect(try walk.isNew(header(1...3, 1)))
    for (positions, number) in [(5...6, 2), (3...6, 2), (4...6, 3)]
      as [(ClosedRange<UInt64>, UInt32)]
    {
      var next = walk
      let error = #expect(throws: LedgerError.self, "\(positions)") {
        _ = try next.isNew(header(positions, number))
      }
      #expect(error?.code == .corrupt)
    }
    #expect(try walk.isNew(header(4...6, 2)))
  }

  @Test func anEmptyBatchMakesNoFrame() throws {
    #expect(try frames(payloadSizes: []).isEmpty)
  }

  @Test(arguments: [
    [0], [1], [7], [8], [9], [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [Int](repeating: 0, count: 84), [Int](repeating: 0, count: 85),
    [3_984], [3_984, 3_984], [3_984, 0], [0, 3_984], [1_000, 2_000, 3_000, 100, 3_984, 5],
    [Int](repeating: 300, count: 200),
  ])
  func aBatchIsReadBackEventByEvent(payloadSizes: [Int]) throws {
    let frames = try frames(payloadSizes: payloadSizes, from: 1_000)
    let events = try frames.flatMap { try $0.events() }

    #expect(events.map(\.position.rawValue) == payloadSizes.indices.map { 1_000 + UInt64($0) })
    #expect(events.map(\.subject) == payloadSizes.indices.map { .numbered($0) })
    #expect(
      events.map(\.payload)
        == payloadSizes.enumerated().map {
          [UInt8](repeating: UInt8(truncatingIfNeeded: $0 + 1), count: $1)
        })
  }

  @Test(
    arguments: [
      ([0], [[]]),
      ([3_984, 0], [.commitContinues, .continuesCommit]),
      (
        [3_984, 3_984, 3_984],
        [.commitContinues, [.commitContinues, .continuesCommit], .continuesCommit]
      ),
    ] as [([Int], [FrameHeader.Flags])])
  func theFlagsSayWhichFramesBelongTogether(
    payloadSizes: [Int], flags: [FrameHeader.Flags]
  ) throws {
    let headers = try frames(payloadSizes: payloadSizes).map { try $0.header() }

    #expect(headers.map(\.flags) == flags)
  }

  @Test func everyFrameOfACommitCarriesItsSessionAndNumber() throws {
    let headers = try frames(payloadSizes: [3_984, 3_984, 3_984]).map { try $0.header() }

    #expect(headers.map(\.commit) == [commit, commit, commit])
  }

  @Test func theFramesOfACommitFollowEachOtherWithoutAGap() throws {
    let headers = try frames(payloadSizes: [Int](repeating: 300, count: 200), from: 77)
      .map { try $0.header() }

    #expect(headers.first?.firstPosition == Position(rawValue: 77))
    #expect(headers.last?.lastPosition == Position(rawValue: 276))
    for (frame, next) in zip(headers, headers.dropFirst()) {
      #expect(next.firstPosition == frame.lastPosition.advanced(by: 1))
    }
  }

  @Test(arguments: [[3_984], [Int](repeating: 0, count: 500), [1_296, 1_296, 1_296]])
  func noFrameIsLargerThanAPage(payloadSizes: [Int]) throws {
    for frame in try frames(payloadSizes: payloadSizes) { #expect(frame.bytes.count <= 4_080) }
  }

  @Test func aFrameIsFilledUpToTheLastByte() throws {
    // Three events of 48 + 1,296 bytes fill the 4,032 bytes behind a frame's header.
    #expect(try frames(payloadSizes: [1_296, 1_296, 1_296]).map(\.bytes.count) == [4_080])
    #expect(try frames(payloadSizes: [1_296, 1_296, 1_297]).count == 2)
  }

  @Test func theLargestPayloadFillsAFrame() throws {
    #expect(EventBatch.maximumPayloadByteCount == 3_984)
    #expect(try frames(payloadSizes: [3_984]).map(\.bytes.count) == [4_080])
  }

  @Test func aPayloadThatIsTooLargeIsRefusedAndLeavesTheBatchAsItWas() throws {
    var batch = try batch(payloadSizes: [5])
    let before = batch.bytes

    let error = #expect(throws: LedgerError.self) {
      try batch.append(
        .raw(.promiseResolved, on: .numbered(1), payload: [UInt8](repeating: 0, count: 3_985)))
    }

    #expect(error?.code == .payloadTooLarge)
    #expect(batch.bytes == before)
    #expect(batch.count == 1)
  }

  @Test func readingAfterAPositionSkipsTheEventsUpToIt() throws {
    let frame = try frames(payloadSizes: [0, 1, 2, 3], from: 10)[0]
    let view = try FrameView(checking: frame.bytes.span, key: frame.key)
    var positions: [UInt64] = []

    try view.forEachEvent(after: Position(rawValue: 11)) { event throws(LedgerError) in
      positions.append(event.position.rawValue)
    }

    #expect(positions == [12, 13])
  }

  @Test func anErrorOfTheReaderStopsTheReading() throws {
    let frame = try frames(payloadSizes: [0, 1, 2])[0]
    let view = try FrameView(checking: frame.bytes.span, key: frame.key)
    var count = 0

    #expect(throws: LedgerError.self) {
      try view.forEachEvent { _ throws(LedgerError) in
        count += 1
        throw LedgerError(.invalidArgument, "stop")
      }
    }
    #expect(count == 1)
  }
}
