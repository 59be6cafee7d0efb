#if Serve
  import Dispatch
  import Foundation
  import Synchronization

  /// The signals by which people and systems end the server. It then says goodbye to its pages.
  final class EndingSignals {
    private final class Flag: Sendable {
      let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let sources: [any DispatchSourceSignal]

    init() {
      let queue = DispatchQueue(label: "signals")
      sources = [SIGINT, SIGTERM].map { number in
        // Otherwise it ends the process.
        signal(number, SIG_IGN)
        return DispatchSource.makeSignalSource(signal: number, queue: queue)
      }
      for source in sources {
        source.setEventHandler { [flag] in flag.isSet.store(true, ordering: .relaxed) }
        source.resume()
      }
    }

    var haveCome: Bool { flag.isSet.load(ordering: .relaxed) }
  }
#endif
