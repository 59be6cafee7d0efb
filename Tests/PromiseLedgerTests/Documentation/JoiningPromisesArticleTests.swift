import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct Thumbnail: LedgerWork {
  static let kind = "thumbnail"
  let image: String

  func run(in call: WorkCall<Notes>) async throws -> String { "small \(image)" }
}

struct AlbumReady: LedgerWork {
  static let kind = "album-ready"
  let album: String
  let value: [String]

  func run(in call: WorkCall<Notes>) async throws {
    call.context.add("\(album): \(value.joined(separator: ", "))")
  }
}

private struct Parcel: Codable, Sendable, Hashable {
  let item: String
}

private struct Warehouse: Sendable {}

private struct Pack: LedgerWork {
  static let kind = "pack"
  let item: String

  func run(in call: WorkCall<Warehouse>) async throws -> Parcel { Parcel(item: item) }
}

private struct PackAll: LedgerWork {
  static let kind = "pack-all"
  let items: [String]

  func run(in call: WorkCall<Warehouse>) async throws -> [Parcel] {
    let parcels = try await call.startAll(Pack.self, items.map { ["item": $0] })
    return try await call.value(of: call.all(parcels))
  }
}

/// The code of the article about joints, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct JoiningPromisesArticleTests {
  private let notes = Notes()
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open() async throws -> Ledger {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Thumbnail.self) { [notes] in notes }
    try configuration.handlers.register(AlbumReady.self) { [notes] in notes }
    try configuration.handlers.register(Pack.self) { Warehouse() }
    try configuration.handlers.register(PackAll.self) { Warehouse() }
    return try await temporary.open(configuration: configuration)
  }

  private func start(
    _ images: [String], for id: String, in ledger: Ledger
  ) async throws -> DurablePromise<Void> {
    let thumbnails = try await ledger.startAll(
      Thumbnail.self, images.map { ["image": $0] },
      keys: images.map { try PromiseKey("thumbnail/\($0)") },
      options: WorkOptions(lane: try WorkLane("thumbnails", width: 8)))
    let album = try await ledger.all(thumbnails)
    try await album.then(AlbumReady.self, ["album": id])
    return try await album.then(AlbumReady.self, ["album": "again"])
  }

  @Test func anAlbumIsReadyWhenAllThumbnailsAre() async throws {
    let ledger = try await open()
    let images = (1...100).map { "image \($0)" }
    let again = try await start(images, for: "summer", in: ledger)
    try await running(LedgerRunner(ledger)) {
      guard case .fulfilled = try await again.outcome else {
        Issue.record("the work failed")
        return
      }
    }
    let all = images.map { "small \($0)" }.joined(separator: ", ")
    #expect(Set(notes.lines) == ["summer: \(all)", "again: \(all)"])
  }

  @Test func workPacksAllItems() async throws {
    let ledger = try await open()
    let items = (1...5).map { "item \($0)" }
    let promise = try await ledger.start(PackAll(items: items))
    let parcels = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(parcels == .fulfilled(items.map(Parcel.init)))
  }

  @Test func handlesAreMadeFromIds() async throws {
    let ledger = try await open()
    let all = try await ledger.all([DurablePromise<Int>]())
    let allDone = try await ledger.all([DurablePromise<Void>]())
    let values = try ledger.promise(id: all.id, of: [Int].self)
    let done = try ledger.promise(id: allDone.id, codec: PayloadCodec<Void>.void.all)
    #expect(try await values.consume().isEmpty)
    #expect(try await done.consume().isEmpty)
  }
}
