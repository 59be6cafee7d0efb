import LedgerSystem
import Testing

/// Files that must not replace others.
@Suite struct AtomicFileTests {
  private static func place(_ bytes: [UInt8], _ path: String) throws(SystemError) {
    var file = try AtomicFile(path)
    try file.write(bytes)
    try file.finishExclusively()
  }

  @Test func aFileWithOtherBytesIsNeverReplaced() throws {
    try withDirectory { directory in
      let path = "\(directory)/file"
      let bytes = [UInt8](repeating: 3, count: 100_000)
      try Self.place(bytes, path)
      for other in [[], bytes.dropLast(), bytes + [3], bytes.dropLast() + [4]] as [[UInt8]] {
        let error = #expect(throws: SystemError.self) { try Self.place(other, path) }
        #expect(error?.code == .exists)
      }
      #expect(try FileSystem.read(path, maximumBytes: 100_000) == bytes)
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  @Test func theSameBytesAreFine() throws {
    try withDirectory { directory in
      for _ in 0..<2 { try Self.place([UInt8](repeating: 3, count: 100_000), "\(directory)/file") }
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  @Test func whatAKilledProcessLeftIsRemovedByItsName() throws {
    try withDirectory { directory in
      let names = [".a-1.txt.new-x", ".a-2.txt", ".b-1.txt.new-x", "a-3.txt.new-x"]
      for name in names { try Self.place([1], "\(directory)/\(name)") }
      try AtomicFile.removeUnfinished(in: directory, namePrefix: "a-")
      #expect(try FileSystem.list(directory) == Array(names.dropFirst()))
    }
  }
}
