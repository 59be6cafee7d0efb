import Foundation
import LedgerGzip
import LedgerTestSupport
import Testing

/// Compression and decompression in the gzip format, against the program gzip.
@Suite(.timeLimit(.minutes(10)))
struct GzipTests {
  /// Contents of many sizes: random, repetitive, and lines like those of an archive, with repetitions from near
  /// and far, also from farther back than the format can refer to.
  static let contents: [[UInt8]] = [0, 1, 100, 65_535, 65_536, 65_537, 300_000].flatMap { count in
    var generator = SeededGenerator(seed: UInt64(count))
    return [
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) },
      (0..<count).map { UInt8(truncatingIfNeeded: $0 / 100) },
      lines(count, &generator),
    ]
  }

  private static func lines(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if let start = (0..<bytes.count).randomElement(using: &generator),
        Bool.random(using: &generator)
      {
        let end = min(start + Int.random(in: 1...600, using: &generator), bytes.count)
        bytes += bytes[start..<end]
      } else {
        let number = UInt64.random(in: 0...(.max), using: &generator)
        bytes += "{\"position\":\(bytes.count),\"id\":\"\(String(number, radix: 16))\"}\n".utf8
      }
    }
    return Array(bytes.prefix(count))
  }

  private static func compress(_ content: [UInt8], piece: Int = 10_000) throws -> [UInt8] {
    let compressor = try GzipCompressor()
    var result: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: piece) {
      result += try compressor.compress(Array(content[start..<min(start + piece, content.count)]))
    }
    return try result + compressor.finish()
  }

  private static func decompress(_ file: [UInt8], piece: Int = 10_000) throws -> [UInt8] {
    let decompressor = try GzipDecompressor()
    var (start, content): (Int, [UInt8]) = (0, [])
    while true {
      let more = try decompressor.next { () throws(GzipError) in
        let end = min(start + piece, file.count)
        defer { start = end }
        return Array(file[start..<end])
      } _: {
        $0
      }
      if more.isEmpty { return content }
      content += more
    }
  }

  /// What the program gzip makes of bytes.
  private static func gzip(_ option: String, _ input: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(input).write(to: file)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exec gzip -c \(option) <\"$0\"", file.path]
    process.standardOutput = output
    try process.run()
    let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return bytes
  }

  @Test(arguments: contents) func gunzipReadsWhatIsWritten(content: [UInt8]) throws {
    #expect(try Self.gzip("-d", Self.compress(content)) == content)
  }

  @Test(arguments: contents) func whatGzipWritesIsRead(content: [UInt8]) throws {
    let file = try Self.gzip("-9", content)
    #expect(try Self.decompress(file) == content)
    // Two members in one file are read one after the other.
    #expect(try Self.decompress(file + file, piece: 7) == content + content)
  }

  @Test func theSameContentMakesTheSameBytes() throws {
    let content = Self.contents[5]
    let file = try Self.compress(content)
    #expect(try Self.compress(content, piece: 1) == file)
    // No flags, and so no name; no time; an unknown system.
    #expect(file.prefix(10) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
  }

  @Test func everyTruncatedFileIsRefused() throws {
    let file = try Self.compress(Array("What is left of a file that was cut.".utf8))
    for count in 0..<file.count {
      #expect(throws: GzipError.truncated, "\(count) bytes") {
        try Self.decompress(Array(file.prefix(count)), piece: 3)
      }
    }
  }

  @Test func noChangedBitChangesTheContent() throws {
    let content = Self.contents[5]
    let file = try Self.compress(content)
    var unnoticed: [Int] = []
    for index in file.indices {
      for bit in 0..<8 {
        var changed = file
        changed[index] ^= 1 << bit
        guard let read = try? Self.decompress(changed) else { continue }
        #expect(read == content, "bit \(bit) of byte \(index)")
        unnoticed.append(index)
      }
    }
    // Some bits say nothing, such as the time in the header, but none of the checksum and the size.
    #expect(unnoticed.allSatisfy { $0 < file.count - 8 }, "\(unnoticed)")
  }

  @Test(
    arguments: [[0], [0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 8, 0], Array("{}\n".utf8)] as [[UInt8]])
  func whatFollowsTheEndIsRefused(trailing: [UInt8]) throws {
    let file = try Self.compress([1, 2, 3])
    for piece in [1, 1_000] {
      let error = #expect(throws: GzipError.self) {
        try Self.decompress(file + trailing, piece: piece)
      }
      #expect(error == (trailing[0] == 0x1F ? .truncated : .trailingBytes))
    }
  }

  /// A small file that expands to much is read in small pieces.
  @Test func anExpandingFileTakesNoMemory() throws {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    let compressor = try GzipCompressor()
    var file: [UInt8] = []
    for _ in 0..<256 { file += try compressor.compress(zeros) }
    file += try compressor.finish()
    #expect(file.count < 300_000)
    let decompressor = try GzipDecompressor()
    var (unread, total, largest) = (file, 0, 0)
    while true {
      let piece = try decompressor.next { () throws(GzipError) in
        defer { unread = [] }
        return unread
      } _: {
        $0
      }
      if piece.isEmpty { break }
      total += piece.count
      largest = max(largest, piece.count)
    }
    #expect(total == 256 << 20 && largest <= 1 << 16)
  }
}
