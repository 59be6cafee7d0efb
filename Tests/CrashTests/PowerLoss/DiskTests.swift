import LedgerTestSupport
import Testing

@testable import LedgerPowerLoss

/// The model of a disk: what is certainly there after a power cut, and what may be.
@Suite(.timeLimit(.minutes(1))) struct DiskTests {
  /// A file `a` in the root, whose name is synced.
  private func diskWithFile() -> DiskScript {
    var script = DiskScript()
    script.add(.make(1, isDirectory: false), .enter(1, name: "a", in: Disk.root))
    script.sync(Disk.root)
    return script
  }

  private func bytes(_ byte: UInt8, _ count: Int = 512) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  @Test func aWriteThatIsNotSyncedMayBeThereOrNot() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(1))
    #expect(script.contents(of: "a") == [[], bytes(0), bytes(1)])
  }

  @Test func aSyncedWriteIsThere() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(1))
    script.sync(1)
    #expect(script.contents(of: "a") == [bytes(1)])
  }

  @Test func aWriteMayBeTornBetweenSectors() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(0, 8_192))
    script.sync(1)
    script.write(1, at: 0, bytes(1, 8_192))
    let small = script.contents(of: "a", sectorByteCount: 512)
    #expect(small.contains { $0[0] == 1 && $0[512] == 0 && $0[1_024] == 1 })
    let large = script.contents(of: "a", sectorByteCount: 4_096)
    #expect(large.allSatisfy { $0[0] == $0[4_095] && $0[4_096] == $0[8_191] })
    #expect(large.count == 4)
    // Within a sector, nothing is torn.
    #expect(small.allSatisfy { $0[0] == $0[511] })
  }

  @Test func aSectorThatWasWrittenTwiceMayHaveAnyVersion() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(1))
    script.sync(1)
    script.write(1, at: 0, bytes(2))
    script.write(1, at: 0, bytes(3))
    #expect(script.contents(of: "a") == [bytes(1), bytes(2), bytes(3)])
  }

  @Test func aLaterWriteMayBeThereWithoutAnEarlierOne() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(0, 1_024))
    script.sync(1)
    script.write(1, at: 0, bytes(1))
    script.write(1, at: 512, bytes(2))
    #expect(script.contents(of: "a").contains(bytes(0) + bytes(2)))
  }

  /// A descriptor that waits for the disk at each write syncs nothing that was written through another.
  @Test func aWriteThatSyncsItselfSyncsNoOther() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(0, 1_024))
    script.sync(1)
    script.write(1, at: 0, bytes(1))
    script.write(1, at: 512, bytes(2))
    script.syncLast(1)
    #expect(script.contents(of: "a") == [bytes(0) + bytes(2), bytes(1) + bytes(2)])
  }

  @Test func aWriteDuringASyncIsNotSynced() {
    var script = diskWithFile()
    let begin = script.operations.count
    script.write(1, at: 0, bytes(1))
    script.sync(1, upTo: begin)
    #expect(script.contents(of: "a").contains([]))
  }

  @Test func aSizeThatIsNotSyncedMayBeTheOldOne() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(1, 1_024))
    script.sync(1)
    script.add(.resize(1, 512))
    #expect(script.contents(of: "a") == [bytes(1), bytes(1, 1_024)])
    script.sync(1)
    #expect(script.contents(of: "a") == [bytes(1)])
  }

  @Test func syncingAFileDoesNotSyncItsName() {
    var script = DiskScript()
    script.add(.make(1, isDirectory: false), .enter(1, name: "a", in: Disk.root))
    script.write(1, at: 0, bytes(1))
    script.sync(1)
    #expect(script.contents(of: "a") == [bytes(1)])
    #expect(script.trees().contains { $0.files.isEmpty })
    script.sync(Disk.root)
    #expect(script.trees().allSatisfy { $0.files.map(\.path) == ["a"] })
  }

  @Test func syncingANameDoesNotSyncTheFile() {
    var script = DiskScript()
    script.add(.make(1, isDirectory: false))
    script.write(1, at: 0, bytes(1))
    script.add(.enter(1, name: ".a.new-1", in: Disk.root))
    script.add(.rename(from: ".a.new-1", to: "a", in: Disk.root))
    script.sync(Disk.root)
    #expect(script.contents(of: "a").contains([]))
  }

  /// As everywhere, a name that is replaced leads to the old file or to the new one.
  @Test func aRenameIsThereAsAWhole() {
    var script = diskWithFile()
    script.add(.make(2, isDirectory: false), .enter(2, name: "b", in: Disk.root))
    script.sync(Disk.root)
    script.add(.rename(from: "b", to: "a", in: Disk.root))
    let names = Set(script.trees().map { $0.files.map { "\($0.path)\($0.file)" } })
    #expect(names == [["a1", "b2"], ["a2"]])
  }

  @Test func aRemovedNameMayComeBack() {
    var script = diskWithFile()
    script.add(.leave(name: "a", in: Disk.root))
    #expect(Set(script.trees().map(\.files.count)) == [0, 1])
    script.sync(Disk.root)
    #expect(script.trees().allSatisfy { $0.files.isEmpty })
  }

  @Test func anEntryIsNotThereWithoutTheOneThatItBuildsOn() {
    var script = DiskScript()
    script.add(.make(1, isDirectory: false), .enter(1, name: "a", in: Disk.root))
    script.add(.rename(from: "a", to: "b", in: Disk.root))
    let names = Set(script.trees().map { $0.files.map(\.path) })
    #expect(names == [[], ["a"], ["b"]])
  }

  /// Entries of different names are independent, except with a journal.
  @Test func entriesMayBeReordered() {
    var script = DiskScript()
    for (file, name) in [(1, "a"), (2, "b")] {
      script.add(.make(file, isDirectory: false), .enter(file, name: name, in: Disk.root))
    }
    let names = { (isJournaled: Bool) in
      Set(script.trees(isJournaled: isJournaled).map { $0.files.map(\.path) })
    }
    #expect(names(false) == [[], ["a"], ["b"], ["a", "b"]])
    #expect(names(true) == [[], ["a"], ["a", "b"]])
  }

  @Test func whatIsInADirectoryThatIsLostIsLost() {
    var script = DiskScript()
    script.add(.make(1, isDirectory: true), .enter(1, name: "inner", in: Disk.root))
    script.add(.make(2, isDirectory: false), .enter(2, name: "a", in: 1))
    script.sync(2)
    script.sync(1)
    let names = Set(script.trees().map { $0.directories + $0.files.map(\.path) })
    #expect(names == [[], ["inner", "inner/a"]])
  }

  @Test func sharedMemoryMayHaveAnything() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(7, 4_096))
    script.sync(1)
    script.add(.share(1))
    let contents = script.contents(of: "a")
    #expect(contents.contains(bytes(7, 4_096)) && contents.contains(bytes(0, 4_096)))
  }

  @Test func equalSeedsMakeEqualStates() {
    var script = diskWithFile()
    for place in 0..<20 { script.write(1, at: place * 512, bytes(UInt8(place))) }
    for seed in 0..<50 as Range<UInt64> {
      var cuts = [PowerCut(seed: seed), PowerCut(seed: seed)]
      let trees = cuts.indices.map { cuts[$0].tree(of: script.disk) }
      #expect(trees[0].fingerprint(of: ["a"]) == trees[1].fingerprint(of: ["a"]))
    }
  }

  @Test func aDiskWithoutAPowerCutHasEverything() {
    var script = diskWithFile()
    script.write(1, at: 0, bytes(1))
    script.write(1, at: 512, bytes(2))
    let tree = PowerCut.withoutLoss(of: script.disk)
    #expect(tree.files.map(\.image.bytes) == [bytes(1) + bytes(2)])
  }
}

/// Operations on a disk, and what may be there if the power is cut after them.
private struct DiskScript {
  private(set) var operations: [DiskOperation] = []
  private(set) var disk = Disk(directories: [])

  mutating func add(_ new: DiskOperation...) {
    for operation in new {
      disk.apply(operation, index: operations.count)
      operations.append(operation)
    }
  }

  mutating func write(_ file: FileNumber, at offset: Int, _ bytes: [UInt8]) {
    add(.write(file, offset: offset, bytes: bytes))
  }

  /// - Parameter end: The number of operations that had been done when the sync began.
  mutating func sync(_ file: FileNumber, upTo end: Int? = nil) {
    add(.sync(file, 0..<(end ?? operations.count), SyncClass("fsync", path: ["ledger"])))
  }

  mutating func syncLast(_ file: FileNumber) {
    let last = operations.count - 1..<operations.count
    add(.sync(file, last, SyncClass("O_DSYNC", path: ["ledger"])))
  }

  /// The states of many seeds, of all kinds.
  func trees(isJournaled: Bool = false, sectorByteCount: Int = 512) -> [DiskTree] {
    PowerCut.Survivors.allCases.flatMap { survivors in
      (0..<100 as Range<UInt64>).map { seed in
        var cut = PowerCut(
          survivors, sectorByteCount: sectorByteCount, isJournaled: isJournaled,
          generator: SeededGenerator(seed: seed))
        return cut.tree(of: disk)
      }
    }
  }

  /// All contents of a file that occur, where it is there.
  func contents(of path: String, sectorByteCount: Int = 512) -> Set<[UInt8]> {
    let trees = trees(sectorByteCount: sectorByteCount)
    return Set(trees.flatMap { $0.files.filter { $0.path == path }.map(\.image.bytes) })
  }
}
