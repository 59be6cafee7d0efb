import Synchronization
import Testing

@testable import LedgerPromises

/// A promise with an offer, as the promise of a durable one is.
final class Offered: Sendable {
  let promise: Promise<Int>
  /// The promise that the offer rests for.
  let session = Promise.make(of: Void.self, on: .inline)
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

  /// How many observe the promise.
  var observerCount: Int {
    promise.storage.machine.withLock { $0.listObservers().observers.count }
  }

  func isTaken() throws -> Bool { try offer.claimTaker(isFulfilment: true) }

  func rest() throws { try offer.rest(isFulfilment: true, until: session.promise) }
}
