import LedgerModel

extension StoreContract {
  /// The rules for appending and reading events.
  static let eventRules = [
    Rule("A new store ends at the start") { (subject: StoreSubject) in
      try requireEqual(subject.store.head(), .start, "the head")
      try requireEqual(subject.events().count, 0, "the number of events")
    },
    Rule("Appended events are read in their order") { contract in
      for count in [1, 2, 50, 1_000] {
        let subject = try contract.makeSubject()
        try requireEqual(
          subject.append(count), Position(rawValue: UInt64(count)), "the end of the commit")
        let events = try subject.events()
        try requireEqual(
          events.map(\.position.rawValue), Array(1...UInt64(count)), "the positions")
        try requireEqual(
          events.map { try $0.decode(as: PromiseAbandoned.self)?.reason },
          (0..<count).map(String.init), "the payloads")
        try require(
          events.allSatisfy { $0.session == StoreSubject.session },
          "an event names the wrong session")
      }
    },
    Rule("Reading starts after any position") { (subject: StoreSubject) in
      try subject.append(1_000)
      for position in [0, 1, 19, 20, 21, 999, 1_000] as [UInt64] {
        let read = try subject.events(after: Position(rawValue: position)).map(\.position.rawValue)
        try requireEqual(read, Array((position + 1)..<1_001), "after \(position)")
      }
    },
    Rule("Nothing stands after the last event") { (subject: StoreSubject) in
      try subject.append(1_000)
      for position in [1_000, 1_001, .max - 1, .max] as [UInt64] {
        let position = Position(rawValue: position)
        var frameCount = 0
        let end = try subject.store.read(after: position, limit: .max) { _ in frameCount += 1 }
        try requireEqual(frameCount, 0, "the number of frames after \(position)")
        try requireEqual(end, position, "the end of the read after \(position)")
      }
    },
    Rule("A limit ends the read with the frame that reaches it") { (subject: StoreSubject) in
      try subject.append(1_000)
      var last = Position.start
      let end = try subject.store.read(after: .start, limit: 100) { (frame) in
        last = frame.header.lastPosition
      }
      try require(
        (100..<200).contains(last.rawValue), "\(last) events are read with a limit of 100")
      try requireEqual(end, last, "the position that is returned")
      try requireEqual(
        subject.events(after: end).first?.position, end.advanced(by: 1), "the next event")
    },
    Rule("Events are there when the store is opened again") { (subject: StoreSubject) in
      try subject.append(300, attachment: [1, 2, 3])
      let again = StoreSubject(
        store: try subject.reopened(), sessions: subject.sessions, reopened: subject.reopened)
      try requireEqual(again.store.ledgerID, subject.store.ledgerID, "the id of the ledger")
      try requireEqual(again.events(), subject.events(), "the events")
      try requireEqual(
        again.store.attachment(of: Position(rawValue: 1), byteCount: 3), [1, 2, 3],
        "the value beside the first event")
    },
  ]

  /// The rules for values that are stored beside events.
  static let attachmentRules = [
    Rule("A value beside an event comes back whole") { contract in
      for byteCount in [1, 4_072, 4_073, 1_000_000] {
        let subject = try contract.makeSubject()
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try subject.append(2, attachment: bytes)
        let event = try subject.events().first
        try requireEqual(event?.attachmentByteCount, byteCount, "the size in the event")
        try require(
          try subject.store.attachment(of: Position(rawValue: 1), byteCount: byteCount) == bytes,
          "the value of \(byteCount) bytes came back changed")
      }
    },
    Rule("A missing value is corrupt, and no other one fails with it") {
      (subject: StoreSubject) in
      try subject.append(1, attachment: [4, 5])
      try subject.append(1, number: 2, after: Position(rawValue: 1))
      let found = try subject.store.attachments([
        AttachmentReference(position: Position(rawValue: 2), byteCount: 10),
        AttachmentReference(position: Position(rawValue: 1), byteCount: 2),
      ])
      try requireEqual(found.count, 2, "the number of results")
      try requireRefusal(.corrupt, "the missing value") { try found[0].get() }
      try requireEqual(found[1].get(), [4, 5], "the other value")
    },
    Rule("A value is deleted whole, and alone") { (subject: StoreSubject) in
      let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
      for number in 0..<3 as Range<UInt64> {
        try subject.append(
          1, number: number + 1, after: Position(rawValue: number), attachment: bytes)
      }
      let second = AttachmentReference(position: Position(rawValue: 2), byteCount: bytes.count)
      let deletion = TableChange(deleting: second)
      try require(!subject.shows(deletion), "the value is shown as deleted before it is")
      let summary = try subject.store.snapshotSummary()
      _ = try subject.store.changeSnapshot(
        [deletion], from: summary, to: summary, patience: Patience(.seconds(5)))
      try require(subject.shows(deletion), "the value is not shown as deleted")
      try requireEqual(
        subject.auditReports(events: 3, [1: 10_000, 3: 10_000]), [], "what the check reports")
      for position in [1, 3] as [UInt64] {
        let position = Position(rawValue: position)
        try require(
          try subject.store.attachment(of: position, byteCount: bytes.count) == bytes,
          "the value at \(position) came back changed")
        try require(
          subject.shows(TableChange(bytes, at: position)),
          "the value at \(position) is not shown as stored")
      }
    },
    Rule("A check finds values that no event names") { (subject: StoreSubject) in
      try subject.append(2, attachment: [1, 2, 3])
      try requireEqual(subject.auditReports(events: 2, [1: 3]), [], "the reports of a whole log")
      try requireEqual(
        subject.auditReports(events: 2, [:]), [Position(rawValue: 1)],
        "the reports if the event names no value")
      try requireEqual(
        subject.auditReports(events: 0, [:]), [nil], "the reports if no event was read")
    },
  ]
}

extension StoreSubject {
  /// Whether the tables show what a change leaves.
  fileprivate func shows(_ change: TableChange) throws -> Bool {
    try store.readSnapshot { (tables) throws(LedgerError) in
      do throws(LedgerError) {
        return try tables.show([change])[0]
      } catch {
        guard error.code == .corrupt else { throw error }
        return false
      }
    }
  }

  /// The positions of which a check of the attachments reports something; `nil` for the count.
  ///
  /// - Parameter byteCounts: The sizes of the values that events name.
  fileprivate func auditReports(
    events count: UInt64, _ byteCounts: [UInt64: Int]
  ) throws -> [Position?] {
    var positions: [Position?] = []
    let byteCounts = Dictionary(
      uniqueKeysWithValues: byteCounts.map { (Position(rawValue: $0), $1) })
    try store.readSnapshot { (tables) throws(LedgerError) in
      var audit = tables.auditOfAttachments()
      for number in 0..<count {
        let position = Position(rawValue: number + 1)
        try audit.check(from: position, through: position, byteCounts) {
        } report: { (_, position) in
          positions.append(position)
        }
      }
      _ = try audit.checkCount { _ in positions.append(nil) }
    }
    return positions
  }
}
