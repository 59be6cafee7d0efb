import Testing

@testable import LedgerPowerLoss

/// What the lines of a trace say about a disk.
@Suite(.timeLimit(.minutes(1))) struct TraceTests {
  private static let root = "/r"

  @Test func aFileIsFollowedByItsDescriptors() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 5"#,
      #"1 fcntl(5, F_DUPFD_CLOEXEC, 9) = 9"#,
      #"1 pwrite64(9, "xyz", 3, 100) = 3"#,
      #"1 close(9) = 0"#,
      #"1 pwrite64(9, "other", 5, 0) = 5"#,
      #"1 fdatasync(5) = 0"#,
    ])
    #expect(
      operations == [
        "make 1", "enter a 1", "write 1 at 100: xyz", "fdatasync 1 of 0..<3",
      ])
  }

  @Test func aDescriptorThatWaitsForTheDiskSyncsItsOwnWrites() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT, 0600) = 5"#,
      #"1 openat(AT_FDCWD, "/r/a", O_WRONLY|O_DSYNC) = 6"#,
      #"1 pwrite64(5, "x", 1, 0) = 1"#,
      #"1 pwrite64(6, "y", 1, 1) = 1"#,
    ])
    #expect(operations.suffix(2) == ["write 1 at 1: y", "O_DSYNC 1 of 3..<4"])
  }

  /// What another thread wrote meanwhile may have come too late.
  @Test func aSyncHoldsForWhatWasWrittenBeforeItBegan() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT, 0600) = 5"#,
      #"1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, stack_size=0x7} => {parent_tid=[2]}, 88) = 2"#,
      #"1 fsync(5 <unfinished ...>"#,
      #"2 pwrite64(5, "x", 1, 0) = 1"#,
      #"1 <... fsync resumed>) = 0"#,
    ])
    #expect(operations.suffix(2) == ["write 1 at 0: x", "fsync 1 of 0..<2"])
  }

  /// The kernel gives it away before the call that closes it has returned.
  @Test func aDescriptorIsFreeOnceItsCloseBegins() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT, 0600) = 5"#,
      #"1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, stack_size=0x7} => {parent_tid=[2]}, 88) = 2"#,
      #"2 openat(AT_FDCWD, "/r/b", O_RDWR|O_CREAT, 0600 <unfinished ...>"#,
      #"1 close(5 <unfinished ...>"#,
      #"2 <... openat resumed>) = 5"#,
      #"1 <... close resumed>) = 0"#,
      #"2 pwrite64(5, "x", 1, 0) = 1"#,
    ])
    #expect(operations.last == "write 2 at 0: x")
  }

  @Test func anotherProcessHasDescriptorsOfItsOwn() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 5"#,
      #"1 openat(AT_FDCWD, "/r/b", O_RDWR|O_CREAT, 0600) = 6"#,
      // The parent is resumed only when the child runs another program.
      #"1 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7}, 88 <unfinished ...>"#,
      #"2 dup2(5, 7) = 7"#,
      #"2 execve("/bin/x", ["x"], 0x7 /* 3 vars */) = 0"#,
      #"1 <... clone3 resumed>) = 2"#,
      #"2 pwrite64(5, "lost", 4, 0) = 4"#,
      #"2 pwrite64(6, "kept", 4, 0) = 4"#,
      #"2 pwrite64(7, "dup", 3, 8) = 3"#,
      #"2 openat(AT_FDCWD, "/r/b", O_RDWR) = 5"#,
      #"2 close(6) = 0"#,
      #"1 pwrite64(6, "p", 1, 9) = 1"#,
      #"2 pwrite64(5, "c", 1, 9) = 1"#,
      #"1 pwrite64(5, "a", 1, 9) = 1"#,
    ])
    #expect(
      operations.suffix(5) == [
        "write 2 at 0: kept", "write 1 at 8: dup", "write 2 at 9: p", "write 2 at 9: c",
        "write 1 at 9: a",
      ])
  }

  @Test func namesAreFollowedThroughRenames() throws {
    let operations = try operations([
      #"1 mkdir("/r/.d.new-1", 0700) = 0"#,
      #"1 openat(AT_FDCWD, "/r/.d.new-1", O_RDONLY|O_DIRECTORY) = 5"#,
      #"1 openat(5, "f", O_WRONLY|O_CREAT|O_EXCL, 0600) = 6"#,
      #"1 renameat(AT_FDCWD, "/r/.d.new-1", AT_FDCWD, "/r/d") = 0"#,
      #"1 unlinkat(5, "f", 0) = 0"#,
      #"1 write(6, "x", 1) = 1"#,
      #"1 write(6, "y", 1) = 1"#,
    ])
    #expect(
      operations == [
        "make 1", "enter .d.new-1 1", "make 2", "enter f 2", "rename .d.new-1 d", "leave f",
        "write 2 at 0: x", "write 2 at 1: y",
      ])
  }

  @Test func callsThatFailAndFilesElsewhereDoNothing() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
      #"1 openat(AT_FDCWD, "/elsewhere/a", O_RDWR|O_CREAT, 0600) = 5"#,
      #"1 pwrite64(5, "x", 1, 0) = 1"#,
      #"1 +++ exited with 0 +++"#,
    ])
    #expect(operations == [])
  }

  @Test func sharedMemoryIsNoted() throws {
    let operations = try operations([
      #"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT, 0600) = 5"#,
      #"1 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 5, 0) = 0x7f0000000000"#,
      #"1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5, 0) = 0x7f0000001000"#,
    ])
    #expect(operations.suffix(2) == ["enter a 1", "share 1"])
  }

  @Test(arguments: [
    #"1 copy_file_range(5, NULL, 5, NULL, 100, 0) = 100"#,
    #"1 truncate("/r/a", 5) = 0"#,
    #"1 renameat(AT_FDCWD, "/r/a", AT_FDCWD, "/elsewhere") = 0"#,
    #"1 openat(AT_FDCWD, "/r/unknown", O_RDONLY) = 9"#,
    #"1 pwrite64(5, "x", 2, 0) = 2"#,
    #"1 pwrite64(5, "x"..., 100, 0) = 100"#,
    #"1 clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 7"#,
  ])
  func whatIsNotModelledIsAnError(_ line: String) {
    #expect(throws: TraceError.self) {
      try operations([#"1 openat(AT_FDCWD, "/r/a", O_RDWR|O_CREAT, 0600) = 5"#, line])
    }
  }

  /// The operations of a trace, in words.
  private func operations(_ lines: [String]) throws -> [String] {
    let trace = lines.map(Self.inHexadecimal).joined(separator: "\n")
    return try TraceInterpreter.operations(
      of: Array(trace.utf8), root: Self.root, directories: []
    ).map(\.words)
  }

  /// A line with its strings as strace prints them with `-xx`.
  private static func inHexadecimal(_ line: String) -> String {
    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().map { index, part in
      index % 2 == 0 ? String(part) : part.utf8.map { #"\x"# + hexadecimal($0) }.joined()
    }.joined(separator: "\"")
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}

extension DiskOperation {
  fileprivate var words: String {
    switch self {
    case .make(let file, _): "make \(file)"
    case .enter(let file, let name, _): "enter \(name) \(file)"
    case .leave(let name, _): "leave \(name)"
    case .rename(let from, let to, _): "rename \(from) \(to)"
    case .write(let file, let offset, let bytes):
      "write \(file) at \(offset): \(String(decoding: bytes, as: UTF8.self))"
    case .resize(let file, let byteCount): "resize \(file) to \(byteCount)"
    case .share(let file): "share \(file)"
    case .sync(let file, let synced, let kind): "\(kind.call) \(file) of \(synced)"
    case .say(let line): "say \(line)"
    }
  }
}
