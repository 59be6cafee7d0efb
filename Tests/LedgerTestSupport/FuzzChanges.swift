import Foundation

/// Random changes of inputs, as a fuzzer makes them.
package enum FuzzChanges {
  /// An input with some changes: of bytes, of its length, or with a part of another input.
  package static func changed(_ inputs: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
    var input = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...input.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < input.count:
        input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1 where place < input.count:
        input[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
      case 2: input.removeSubrange(place...)
      case 3: input.insert(.random(in: 0...255, using: &generator), at: place)
      default:
        let other = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
        input.removeSubrange(place...)
        input += other.dropFirst(place)
      }
    }
    return input
  }
}

/// The inputs of the repository with which the fuzzer begins: those that it left, and some that are made.
package enum FuzzCorpus {
  /// The inputs of a target, by its name.
  package static func inputs(of target: String) throws -> [[UInt8]] {
    let folder = "Tests/FuzzCorpus/\(target)"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
    }
  }

  /// The folder to write other inputs to, in the environment variable `FUZZ_SEEDS`.
  package static let newFolder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"]

  /// Writes inputs that were made of random histories to ``newFolder``, from where the fuzzer can begin, too.
  package static func write(_ inputs: [[UInt8]], of target: String) throws {
    guard let newFolder else { return }
    let folder = "\(newFolder)/\(target)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (number, input) in inputs.enumerated() {
      try Data(input).write(to: URL(fileURLWithPath: "\(folder)/history-\(number)"))
    }
  }
}
