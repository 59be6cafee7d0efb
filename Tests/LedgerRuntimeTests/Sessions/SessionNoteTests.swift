import LedgerSystem
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10))) struct SessionNoteTests {
  private let note = SessionNote(
    ProcessIdentity(
      boot: "5f0a3c1e-7d2b-4e55-9a61-0c8f6b1d2e3f", id: 4_711, startTime: 123_456))

  @Test func theBytesAreThoseOfTheFileFormat() {
    #expect(
      String(decoding: note.encoded, as: UTF8.self)
        == "5f0a3c1e-7d2b-4e55-9a61-0c8f6b1d2e3f 4711 123456 2f393a9e\n")
  }

  @Test func aWholeNoteIsRead() {
    let note = SessionNote(.current)
    #expect(SessionNote(decoding: note.encoded) == note)
    #expect(note.encoded.count <= SessionNote.maximumByteCount)
  }

  @Test func aTornNoteIsNotRead() {
    let bytes = note.encoded
    for count in 0..<bytes.count {
      #expect(SessionNote(decoding: Array(bytes.prefix(count))) == nil, "the first \(count) bytes")
    }
    // The remains of the longer note that stood there before, after a crash.
    #expect(SessionNote(decoding: bytes + [UInt8(ascii: "\n")]) == nil)
    #expect(SessionNote(decoding: [UInt8](repeating: 0, count: bytes.count)) == nil)
  }

  @Test func aNoteWithAnyFlippedBitIsNotRead() {
    for index in note.encoded.indices {
      for bit in 0..<8 {
        var bytes = note.encoded
        bytes[index] ^= 1 << bit
        #expect(SessionNote(decoding: bytes) == nil, "bit \(bit) of byte \(index)")
      }
    }
  }
}
