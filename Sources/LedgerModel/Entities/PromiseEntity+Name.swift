extension PromiseEntity {
  /// The promise's name in errors: its id, followed by its key and label.
  package var name: String {
    let creation = try? creation()
    return id.name(key: creation?.key, label: creation?.label)
  }
}

extension PromiseID {
  /// The promise's name in errors.
  package func name(key: String?, label: String?) -> String {
    "Promise \(self)" + EntityID.names(key: key, label: label)
  }
}

extension EntityID {
  /// The text after an id in errors, which lets people recognise the entity.
  package static func names(key: String?, label: String?) -> String {
    let names = [key.map { "key \"\($0)\"" }, label.map { "\"\($0)\"" }].compactMap(\.self)
    return names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
  }
}
