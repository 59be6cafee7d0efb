/// The name of the type of a joint's values, composed of the name for its inputs.
///
/// The value of a joint with many values is a JSON array. Values of inputs that are not JSON are strings in it,
/// in Base64.
struct JointTypeTag: Sendable, Hashable {
  private static let encoded = "base64<"
  private static let outcome = "outcome<"

  /// The name.
  let text: String
  /// Whether the array has outcomes rather than values.
  let hasOutcomes: Bool
  /// Whether values are strings in Base64.
  let isEncoded: Bool

  init(ofValues typeTag: String, isJSON: Bool, hasOutcomes: Bool) {
    let element = isJSON ? typeTag : "\(Self.encoded)\(typeTag)>"
    text = hasOutcomes ? "[\(Self.outcome)\(element)>]" : "[\(element)]"
    self.hasOutcomes = hasOutcomes
    isEncoded = !isJSON
  }

  /// - Parameter rule: The rule of the joint: the name alone does not tell outcomes from values that are outcomes.
  init(_ text: String, of rule: PromiseCreated.Joint.Rule) {
    self.text = text
    hasOutcomes = rule == .allSettled
    isEncoded = text.hasPrefix("[" + (hasOutcomes ? Self.outcome : "") + Self.encoded)
  }
}
