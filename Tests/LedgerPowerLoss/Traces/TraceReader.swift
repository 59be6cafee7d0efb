import Foundation

/// Reads the output of strace, line by line.
struct TraceReader {
  /// A line of a trace.
  enum Line {
    /// The beginning of a call that ends in a later line.
    case begin(thread: String)
    case call(TracedCall, beganBefore: Bool)
    /// Signals and ends of threads.
    case other
  }

  private var unfinished: [String: Parts] = [:]

  private struct Parts {
    var text = ""
    var strings: [[UInt8]] = []

    var isClose: Bool { text.hasPrefix("close(") }
  }

  mutating func read(_ line: ArraySlice<UInt8>) throws -> Line {
    var parts = try Self.parts(of: line)
    guard let space = parts.text.firstIndex(of: " ") else { return .other }
    let thread = String(parts.text[..<space])
    parts.text = String(parts.text[space...].drop { $0 == " " })
    if parts.text.hasPrefix("+++") || parts.text.hasPrefix("---") { return .other }
    if let mark = parts.text.range(of: " <unfinished ...>") {
      parts.text.removeSubrange(mark.lowerBound...)
      unfinished[thread] = parts
      guard parts.isClose else { return .begin(thread: thread) }
      // The descriptor is free before the call has returned, and another thread may get it.
      return .call(try Self.call(thread, parts, outcome: ") = 0"), beganBefore: false)
    }
    var beganBefore = false
    if parts.text.hasPrefix("<... ") {
      guard let mark = parts.text.range(of: " resumed>"), let begin = unfinished[thread] else {
        throw TraceError(text: "a call goes on that did not begin: \(parts.text)")
      }
      unfinished[thread] = nil
      guard !begin.isClose else { return .other }
      beganBefore = true
      parts.text = begin.text + parts.text[mark.upperBound...]
      parts.strings = begin.strings + parts.strings
    }
    return .call(try Self.call(thread, parts), beganBefore: beganBefore)
  }

  private static func call(
    _ thread: String, _ parts: Parts, outcome: String = ""
  ) throws -> TracedCall {
    let text = parts.text + outcome
    guard let open = text.firstIndex(of: "("),
      let close = text.range(of: ") ", options: .backwards),
      let equals = text.range(of: "= ", range: close.lowerBound..<text.endIndex)
    else { throw TraceError(text: "not a call: \(text.prefix(200))") }
    // An address is no number, and no failure.
    let result = text[equals.upperBound...].prefix { $0 == "-" || $0.isNumber }
    return TracedCall(
      thread: thread, name: String(text[..<open]),
      arguments: text[text.index(after: open)..<close.lowerBound].split(separator: ",").map {
        String($0.drop { $0 == " " })
      },
      strings: parts.strings, result: Int(result))
  }

  /// Takes the strings out of a line.
  private static func parts(of line: ArraySlice<UInt8>) throws -> Parts {
    var text: [UInt8] = []
    var parts = Parts()
    var index = line.startIndex
    while index < line.endIndex {
      let byte = line[index]
      text.append(byte)
      index += 1
      guard byte == UInt8(ascii: "\"") else { continue }
      var string: [UInt8] = []
      while index < line.endIndex, line[index] != UInt8(ascii: "\"") {
        // \x and two digits.
        guard index + 3 < line.endIndex, let high = digit(line[index + 2]),
          let low = digit(line[index + 3])
        else { throw TraceError(text: "a string that is not in hexadecimal digits") }
        string.append(high << 4 | low)
        index += 4
      }
      index += 1
      guard index >= line.endIndex || line[index] != UInt8(ascii: ".") else {
        throw TraceError(text: "a string that was cut off")
      }
      parts.strings.append(string)
    }
    parts.text = String(decoding: text, as: UTF8.self)
    return parts
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
