/// The properties of a new handler, except for the arguments.
package struct HandlerDescription: Sendable, Hashable {
  package var kind: String
  package var repetition: HandlerRepetition
  package var key: String?
  package var label: String?
  package var scopes: [String]

  package init(
    kind: String, repetition: HandlerRepetition = .oneShot, key: String? = nil,
    label: String? = nil, scopes: [String] = []
  ) {
    self.kind = kind
    self.repetition = repetition
    self.key = key
    self.label = label
    self.scopes = scopes
  }
}
