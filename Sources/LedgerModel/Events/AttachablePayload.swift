/// A payload that ends with something that can be stored beside the event if it is large.
package protocol AttachablePayload: EventPayload {
  /// What can be stored beside the event; `nil` if it is stored there.
  var attachable: [UInt8]? { get }

  /// The same payload, saying that the rest is stored beside the event.
  func detachingContent() -> Self
}
