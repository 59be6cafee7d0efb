import LedgerPromises
import Testing

/// A promise with an offer, as the promise of a durable one is.
final class Offered: Sendable {
  let promise: Promise<Int>
  private let offers: Recorder<Offer<Int>>

  init(on executor: PromiseExecutor = .inline) {
    let offers = Recorder<Offer<Int>>()
    self.offers = offers
    promise = .offered(on: executor) { offers.record($0) }
  }

  /// The offer that was made last.
  var offer: Offer<Int> {
    get throws { try #require(offers.events.last) }
  }

  var offerCount: Int { offers.events.count }

  func isTaken() throws -> Bool { try offer.claimTaker(isFulfilment: true) }
}
