extension PromiseEntity {
  /// How the promise is named in errors: by its id, and by the names that people gave it.
  package var name: String {
    let creation = try? creation()
    return id.name(key: creation?.key, label: creation?.label)
  }
}

extension PromiseID {
  /// How the promise is named in errors.
  package func name(key: String?, label: String?) -> String {
    "Promise \(self)" + EntityID.names(key: key, label: label)
  }
}

extension EntityID {
  /// What stands behind an id in errors, so that a person knows what it is.
  package static func names(key: String?, label: String?) -> String {
    let names = [key.map { "key \"\($0)\"" }, label.map { "\"\($0)\"" }].compactMap(\.self)
    return names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
  }
}
