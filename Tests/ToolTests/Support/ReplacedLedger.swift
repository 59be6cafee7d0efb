import Foundation

/// Puts a copy of a directory in its place at once, as the restoration of a backup does.
func replaceByCopy(_ path: String) throws {
  let files = FileManager.default
  try files.copyItem(atPath: path, toPath: path + ".copy")
  try files.moveItem(atPath: path, toPath: path + ".old")
  try files.moveItem(atPath: path + ".copy", toPath: path)
}
