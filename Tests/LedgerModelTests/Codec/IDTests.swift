import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct IDTests {
  @Test func anIdIsShownAsALowerCaseUUIDAndReadBack() throws {
    let id = EntityID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    #expect(id.description == "00112233-4455-6677-8899-aabbccddeeff")
    #expect(EntityID(id.description) == id)
  }

  @Test func anIdIsReadInUpperCaseToo() {
    #expect(
      EntityID("00112233-4455-6677-8899-AABBCCDDEEFF")
        == EntityID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))
  }

  @Test func aRandomIdComesBackFromItsTextAndItsBytes() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let id = EntityID(high: random.next(), low: random.next())
      let bytes = id.bytes
      var appended: [UInt8] = []
      id.append(to: &appended)
      #expect(EntityID(id.description) == id, "seed \(seed)")
      #expect(bytes.count == 16, "seed \(seed)")
      #expect(appended == bytes, "seed \(seed)")
      #expect(EntityID(loadedFrom: bytes.span, at: 0) == id, "seed \(seed)")
      #expect(bytes.hex == id.description.filter { $0 != "-" }, "seed \(seed)")
    }
  }

  @Test(arguments: [
    "", "00112233", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
    "00112233445566778899aabbccddeeff", "{0112233-4455-6677-8899-aabbccddeef}",
    "00112233-4455-6677-8899-aabbccddeefg", "00112233-4455-6677-8899_aabbccddeeff",
    "001122334-455-6677-8899-aabbccddeeff", " 0112233-4455-6677-8899-aabbccddeeff",
    "00112233-4455-6677-8899-aabbccddeef\u{E9}", "00112233-4455-6677-8899-aabbccddeeé",
    "+0112233-4455-6677-8899-aabbccddeeff", "００112233-4455-6677-8899-aabbccdd",
    "------------------------------------",
  ])
  func aTextThatIsNotAUUIDIsNotAnId(text: String) {
    #expect(EntityID(text) == nil)
    #expect(PromiseID(text) == nil)
  }

  @Test func idsAreOrderedAsTheirBytes() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let left = EntityID(high: random.next() % 3, low: random.next())
      let right = EntityID(high: random.next() % 3, low: random.next())
      #expect(
        (left < right) == left.bytes.lexicographicallyPrecedes(right.bytes), "seed \(seed)")
      #expect(
        (PromiseID(entityID: left) < PromiseID(entityID: right)) == (left < right), "seed \(seed)")
    }
  }

  @Test func idsAreOrderedAsTheirBytesAlsoAboveTheSignBit() {
    let small = EntityID(high: 0x7FFF_FFFF_FFFF_FFFF, low: .max)
    let large = EntityID(high: 0x8000_0000_0000_0000, low: 0)

    #expect(small < large)
    #expect(!(large < small))
    #expect(!(small < small))
  }

  /// Worked out with another implementation of SHA-256.
  @Test(arguments: [
    ("a", "ada957c6-7b9d-8983-81ec-08f3bc311545"),
    ("order/7", "de525f42-7c6b-8af2-9af8-818fb3d348ed"),
    ("Bestellung 7, heiß", "b3a61127-7f3c-81d0-a412-512e0c7e7cf0"),
    ("😀", "173701b8-67aa-8bf8-914e-f2ca19cf84bf"),
    (String(repeating: "k", count: 512), "6e63f4c3-7670-8d45-aee7-e601a790cc96"),
  ])
  func theIdOfAKeyIsMadeOfItsHash(key: String, id: String) throws {
    #expect(try PromiseKey(key).promiseID.description == id)
  }

  @Test func theIdOfAKeyIsAUUIDOfVersion8() throws {
    for number in 0..<200 {
      let bytes = try PromiseKey("key \(number)").promiseID.entityID.bytes
      #expect(bytes[6] >> 4 == 8, "\(number)")
      #expect(bytes[8] >> 6 == 0b10, "\(number)")
    }
  }

  @Test func keysThatLookAlikeButDifferInTheirBytesHaveDifferentIds() throws {
    let composed = try PromiseKey("\u{E9}")
    let decomposed = try PromiseKey("e\u{301}")

    #expect(composed.promiseID != decomposed.promiseID)
  }
}
