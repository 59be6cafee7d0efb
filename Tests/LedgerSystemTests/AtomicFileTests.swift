import Foundation
import LedgerSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files that must not replace others.
@Suite(.timeLimit(.minutes(10))) struct AtomicFileTests {
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
        let error = #expect(throws: SystemError.self, "\(other.count) bytes") {
          try Self.place(other, path)
        }
        #expect(error?.code == .exists, "\(other.count) bytes")
      }
      #expect(try FileSystem.readPrefix(path, maximumBytes: 100_000) == bytes)
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  @Test func theSameBytesAreFine() throws {
    try withDirectory { directory in
      for _ in 0..<2 { try Self.place([UInt8](repeating: 3, count: 100_000), "\(directory)/file") }
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  @Test func remainsOfAKilledProcessAreRemovedByTheirName() throws {
    try withDirectory { directory in
      let suffix = ".new-0123456789ab"
      let kept = [".a-1.txt.new-x", ".a-2.txt", ".b-1.txt\(suffix)", "a-3.txt\(suffix)"]
      // Not made by AtomicFile, which locks a file: if another test forks meanwhile, its child keeps the lock
      // until it runs another program.
      for name in kept + [".a-1.txt\(suffix)"] {
        let isMade = FileManager.default.createFile(
          atPath: "\(directory)/\(name)", contents: Data([1]))
        try #require(isMade)
      }
      try AtomicFile.removeUnfinished(in: directory) { $0.hasPrefix("a-") }
      #expect(try FileSystem.list(directory) == kept)
    }
  }

  @Test func filesBeingWrittenAreNotRemoved() throws {
    try withDirectory { directory in
      var file = try AtomicFile("\(directory)/a")
      try file.write([1])
      try AtomicFile.removeUnfinished(in: directory) { _ in true }
      try file.finish()
      #expect(try FileSystem.list(directory) == ["a"])
    }
  }

  /// Another user may make names of ours in a directory that all may write.
  @Test func filesThatAreNotOursStay() throws {
    try withDirectory { directory in
      let suffix = ".new-0123456789ab"
      try FileSystem.createDirectory("\(directory)/.directory\(suffix)")
      try #require(unsafe symlink("/etc/passwd", "\(directory)/.link\(suffix)") == 0)
      try #require(unsafe mkfifo("\(directory)/.pipe\(suffix)", 0o600) == 0)
      try Self.place([1], "\(directory)/.other\(suffix)")
      if geteuid() == 0 {
        try #require(unsafe chown("\(directory)/.other\(suffix)", 65_534, 65_534) == 0)
      }
      let names = try FileSystem.list(directory).filter {
        geteuid() == 0 || !$0.hasPrefix(".other")
      }
      try AtomicFile.removeUnfinished(in: directory) { _ in true }
      #expect(try FileSystem.list(directory) == names)
    }
  }

  @Test func aPipeInItsPlaceIsNotRead() throws {
    try withDirectory { directory in
      let path = "\(directory)/file"
      try #require(unsafe mkfifo(path, 0o600) == 0)
      let error = #expect(throws: SystemError.self) { try Self.place([1], path) }
      #expect(error?.code == .exists)
      #expect(try FileSystem.list(directory) == ["file"])
    }
  }

  /// The directory's path leads elsewhere after the file was begun.
  @Test func everythingHappensInTheDirectoryThatWasThereAtTheBeginning() throws {
    try withDirectory { directory in
      let path = "\(directory)/archives"
      let foreign = "\(directory)/foreign"
      try FileSystem.createDirectory(path)
      try FileSystem.createDirectory(foreign)
      try FileSystem.writeAtomically([7], to: "\(foreign)/file")
      var file = try AtomicFile("\(path)/file")
      try file.write([1])
      try FileManager.default.moveItem(atPath: path, toPath: "\(directory)/moved")
      try #require(unsafe symlink(foreign, path) == 0)
      try file.finish()
      #expect(try FileSystem.readPrefix("\(foreign)/file", maximumBytes: 9) == [7])
      #expect(try FileSystem.list("\(directory)/moved") == ["file"])
    }
  }
}
