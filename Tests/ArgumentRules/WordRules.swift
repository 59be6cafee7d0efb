import LedgerFuzzTargets
import LedgerModel

@testable import LedgerVerbs

/// A word that is accepted as a value means what it means by rules that are stated here once more.
enum WordRules {
  static func check(_ word: String) throws(FuzzFinding) {
    try checkDuration(word)
    try checkTime(word)
    try checkDigest(word)
    try checkID(word)
    try FuzzFinding.unless(
      (EntityName(argument: word) == nil) == word.isEmpty, "\(word) is no name of an entity")
    if let kind = KindArgument(argument: word)?.kind {
      try FuzzFinding.unless(
        kind.name == word || UInt16(word) == kind.rawValue, "\(word) is kind \(kind.rawValue)")
    }
    try FuzzFinding.unless(
      !word.shellWord.unicodeScalars.contains(where: ArgumentRules.isControl),
      "the word for a shell of \(word) has control characters")
  }

  // MARK: Durations

  private static func checkDuration(_ word: String) throws(FuzzFinding) {
    let read = DurationArgument(argument: word)
    guard let seconds = seconds(in: word) else {
      let isForever = word == "forever"
      return try FuzzFinding.unless(
        isForever ? read.map { $0.duration == nil } ?? false : read == nil,
        "\(word) is accepted as a duration")
    }
    try FuzzFinding.unless(read?.duration == .seconds(seconds), "\(word) is not \(seconds) s")
    let again = read.flatMap { DurationArgument(argument: $0.defaultValueDescription) }
    try FuzzFinding.unless(
      again?.duration == read?.duration, "\(word) changes when it is printed and read")
  }

  /// The seconds of a number with or without a unit, up to a hundred years of 365 days.
  private static func seconds(in word: String) -> Int64? {
    var digits = Array(word.utf8)
    let units: [UInt8: Int64] = [
      UInt8(ascii: "d"): 86_400, UInt8(ascii: "h"): 3_600, UInt8(ascii: "m"): 60,
      UInt8(ascii: "s"): 1,
    ]
    var unit: Int64 = 1
    if let last = digits.last, let found = units[last] {
      unit = found
      digits.removeLast()
    }
    guard let count = number(digits[...], upTo: 36_500 * 86_400) else { return nil }
    let seconds = count * unit
    return seconds <= 36_500 * 86_400 ? seconds : nil
  }

  /// The number that decimal digits make.
  private static func number(_ digits: ArraySlice<UInt8>, upTo limit: Int64) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
      guard number <= limit else { return nil }
    }
    return number
  }

  // MARK: Times

  private static func checkTime(_ word: String) throws(FuzzFinding) {
    guard let time = TimeArgument(argument: word)?.time else { return }
    guard let expected = nanoseconds(of: Array(word.utf8)) else {
      throw FuzzFinding("\(word) is accepted as the time \(time)")
    }
    try FuzzFinding.unless(
      time.nanosecondsSinceEpoch == expected, "\(word) is \(time.nanosecondsSinceEpoch)")
  }

  /// The time of `2026-01-31`, `2026-01-31T12:00:00Z` or `2026-01-31T12:00:00.5Z`.
  private static func nanoseconds(of text: [UInt8]) -> Int64? {
    guard let year = field(text, 0, 4), let month = field(text, 5, 2), let day = field(text, 8, 2),
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), (1...12).contains(month),
      (1...daysInMonth(month, of: year)).contains(day)
    else { return nil }
    let days = days(to: year, month) + day - 1
    guard text.count > 10 else { return days * 86_400 * 1_000_000_000 }
    guard text[10] == UInt8(ascii: "T"), text.last == UInt8(ascii: "Z"),
      let hour = field(text, 11, 2), let minute = field(text, 14, 2),
      let second = field(text, 17, 2), hour < 24, minute < 60, second < 60
    else { return nil }
    var nanoseconds: Int64 = 0
    if text.count > 20 {
      let digits = text[20..<text.count - 1]
      guard text[19] == UInt8(ascii: "."), digits.count <= 9,
        let fraction = number(digits, upTo: 999_999_999)
      else { return nil }
      nanoseconds = (digits.count..<9).reduce(fraction) { number, _ in number * 10 }
    }
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000_000 + nanoseconds
  }

  private static func field(_ text: [UInt8], _ start: Int, _ count: Int) -> Int64? {
    guard text.count >= start + count else { return nil }
    return number(text[start..<start + count], upTo: 9_999)
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
  }

  private static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days from 1970 to the first of a month.
  private static func days(to year: Int64, _ month: Int64) -> Int64 {
    let years = year >= 1970 ? 1970..<year : year..<1970
    let days = years.reduce(0) { $0 + (isLeap($1) ? 366 : 365) as Int64 }
    let inYear = (1..<month).reduce(0) { $0 + daysInMonth($1, of: year) }
    return (year >= 1970 ? days : -days) + inYear
  }

  // MARK: Digests and ids

  private static func nibbles(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var nibbles: [UInt8] = []
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): nibbles.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): nibbles.append(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): nibbles.append(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return nibbles
  }

  private static func checkDigest(_ word: String) throws(FuzzFinding) {
    let expected = nibbles(word.utf8).flatMap { nibbles -> [UInt8]? in
      guard nibbles.count == 64 else { return nil }
      return (0..<32).map { nibbles[2 * $0] << 4 | nibbles[2 * $0 + 1] }
    }
    try FuzzFinding.unless(
      DigestArgument(argument: word)?.bytes == expected, "\(word) is read as another digest")
  }

  /// A part of an id matches the ids that begin or end with it, and no others.
  private static func checkID(_ word: String) throws(FuzzFinding) {
    let digits = nibbles(word.utf8.filter { $0 != UInt8(ascii: "-") }) ?? []
    guard let part = IDPart(word) else {
      return try FuzzFinding.unless(
        !(4...32).contains(digits.count), "\(word) is refused as a part of an id")
    }
    try FuzzFinding.unless(
      (4...32).contains(digits.count), "\(word) is accepted as a part of an id")
    let gap = 32 - digits.count
    for filling in [0, 5, 15] as [UInt8] {
      let rest = [UInt8](repeating: filling, count: gap)
      for id in [digits + rest, rest + digits] {
        try FuzzFinding.unless(part.matches(entityID(id)), "\(word) does not match an id")
      }
      // Moved by one digit, it is at neither end, unless it matches there by itself.
      guard gap > 1 else { continue }
      let moved = rest.dropLast() + digits + rest.prefix(1)
      let isThere =
        Array(moved.prefix(digits.count)) == digits
        || Array(moved.suffix(digits.count)) == digits
      try FuzzFinding.unless(
        part.matches(entityID(Array(moved))) == isThere, "\(word) matches another id")
    }
    try FuzzFinding.unless(
      part.whole == (gap == 0 ? entityID(digits) : nil), "\(word) is another whole id")
  }

  private static func entityID(_ digits: [UInt8]) -> EntityID {
    func half(_ digits: ArraySlice<UInt8>) -> UInt64 {
      digits.reduce(0) { $0 << 4 | UInt64($1) }
    }
    return EntityID(high: half(digits[..<16]), low: half(digits[16...]))
  }
}
