import Foundation
package import LedgerFuzzTargets
import LedgerModel
import LedgerRuntime

/// An archive or a recording that is accepted makes a ledger whose archive is the same, byte by byte, but for names of
/// kinds. Its counts and digests are mended first, or no change would get past them.
package enum ArchiveRules {
  /// The first byte of an input whose counts and digests are not mended.
  private static let unmended = UInt8(ascii: "!")

  /// The errors of an archive that is refused.
  private static let refusals: Set<LedgerError.Code> = [
    .corrupt, .incompatibleFormat, .payloadTooLarge, .invalidArgument,
  ]

  package static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let archive =
      bytes.first == unmended ? Array(bytes.dropFirst()) : ArchiveMending.mended(bytes)
    guard let rebuilt = try rebuild(archive) else { return }
    let exported = try export(rebuilt)
    try FuzzFinding.unless(
      contents(of: exported, isRecording: rebuilt.recording != nil)
        == contents(of: archive, isRecording: true),
      "an archive changes when it is read and written")
    guard let again = try rebuild(exported) else {
      throw FuzzFinding("an archive is refused that this build wrote")
    }
    try FuzzFinding.unless(
      try export(again) == exported, "an archive changes when it is read and written twice")
    try verify(rebuilt)
  }

  /// - Returns: `nil` if the archive is refused.
  private static func rebuild(_ archive: [UInt8]) throws(FuzzFinding) -> RebuiltRecording? {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      try Data(archive).write(to: file)
      return try RebuiltRecording(file.path)
    } catch let error as LedgerError where refusals.contains(error.code) {
      return nil
    } catch {
      throw FuzzFinding("an archive is refused with another error: \(error)")
    }
  }

  private static func export(_ rebuilt: RebuiltRecording) throws(FuzzFinding) -> [UInt8] {
    do throws(LedgerError) {
      return try rebuilt.bytes()
    } catch {
      throw FuzzFinding("an archive was accepted that cannot be written again: \(error)")
    }
  }

  /// The lines of an archive before its last, without names of kinds, which an older build may not know.
  ///
  /// - Parameter isRecording: Whether to keep the digests of states.
  private static func contents(of archive: [UInt8], isRecording: Bool) -> [[UInt8]] {
    archive.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let members = ArchiveMembers(Array(line))
      switch members.text("type") {
      case "end": return nil
      case "recording", "state": return isRecording ? Array(line) : nil
      default: return members.replacing("name", with: "")
      }
    }
  }

  /// Verifying it must end, whatever it finds.
  private static func verify(_ rebuilt: RebuiltRecording) throws(FuzzFinding) {
    let inspector = BlockingInspector(InMemoryInspection(rebuilt.ledger, rebuilt.metadata))
    do {
      _ = try inspector.verify { _ in }
    } catch {
      throw FuzzFinding("an archive was accepted that cannot be verified: \(error)")
    }
  }
}
