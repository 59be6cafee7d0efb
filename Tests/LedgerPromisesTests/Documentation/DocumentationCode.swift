import LedgerPromises
import Observation

/// Every block of code in the articles of LedgerPromises and in the comments of its sources, compiled.
/// `DocumentationTests` finds each of them in this file.

// MARK: LedgerPromises

private func overview(_ id: Int) {
  let page = CancellationToken()
  Promise { try await api.user(id) }
    .cancelled(by: page)
    .timeout(.seconds(10), cancellingSource: true)
    .then { user in Promise.all(avatar(of: user), friends(of: user)) }
    .done(on: .main) { avatar, friends in show(avatar, friends) }
    .catch(on: .main) { error in show(error) }
    .finally(on: .main) { hideSpinner() }
}

// MARK: Cancelling

private func cancelling(_ token: CancellationToken) {
  let work = start().cancelled(by: token)
  work.map { $0.title }.done { show($0) }
  token.cancel("closed")
}

// MARK: Choosing an executor

@MainActor @Observable final class ProfileModel {
  private(set) var name = ""
  private(set) var message: String?
  private(set) var isLoading = false

  func load(_ user: Promise<User>) {
    isLoading = true
    user.map { $0.name }
      .timeout(.seconds(30))
      .done(on: .main) { self.name = $0 }
      .catch(on: .main) { self.message = "\($0)" }
      .finally(on: .main) { self.isLoading = false }
  }
}

private func replacingTheDefault() {
  // At the start of an app whose callbacks all belong to its user interface
  PromiseExecutor.setDefault(.main)
}

// MARK: From other libraries

func image(at url: String) -> Promise<Image> {
  Promise.retry(attempts: 5, delay: .exponential(first: .milliseconds(500))) { _ in
    Promise { try await download(url) }
      .timeout(.seconds(30), throwing: NetworkError.tooSlow, cancellingSource: true)
  }
}

final class Gallery: Sendable {
  let page = CancellationToken()

  func show(_ url: String) {
    image(at: url).cancelled(by: page)
      .map { $0.thumbnail }
      .done(on: .main) { display($0) }
      .catch(on: .main) { display($0) }
  }

  func close() { page.cancel("the page was closed") }
}

// MARK: Promise and Resolver

private func promise(_ id: Int, _ label: Label) {
  let user = Promise { try await api.user(id) }
  user.map { $0.name }
    .done(on: .main) { label.text = $0 }
    .catch { log($0) }
}

private func completion(_ url: String) -> Promise<Image> {
  let image = Promise<Image> { complete in
    loader.load(url) { complete($0, $1) }
  }
  return image
}

private func lazy() {
  let user = Promise<User>.lazy(on: .background) { $0.fulfill(try readUser()) }
  user.done(on: .main) { show($0) }  // now it is read
}

private func bodies(_ page: Page, _ file: String) {
  let thumbnail = Promise<Image>(in: .background) { resolver in
    resolver.fulfill(try render(page))
  }
  let digest = Promise(in: .background) { try hash(of: file) }
  _ = (thumbnail, digest)
}

private func resolver(_ request: Request) -> Promise<Int> {
  let (promise, resolver) = Promise.make(of: Int.self)
  resolver.onCancel { _ in request.abort() }
  request.start { resolver.fulfill($0) }
  return promise
}

private func wrap(_ url: String) -> Promise<Image> {
  let file = Promise.wrap { completion in download(url, completion: completion) }
  return file
}

// MARK: Operators

private func combining(_ user: Promise<User>, _ avatar: Promise<Image>) {
  Promise.all(user, avatar).done { user, avatar in show(user, avatar) }
}

private func completions(_ downloads: [Promise<Image>]) async throws {
  for await completion in downloads.inCompletionOrder() {
    print(completion.index, try completion.value)
  }
}

private func retrying(_ url: String) -> Promise<Image> {
  let image = Promise.retry(attempts: 5, delay: .exponential(first: .milliseconds(100))) { _ in
    Promise { try await download(url) }
  }
  return image
}

private func timing(_ url: String) {
  download(url)
    .timeout(.seconds(30), throwing: DownloadError.tooSlow, cancellingSource: true)
}

// MARK: Recipes

private func recipe(_ url: String) async throws -> [Page] {
  let page = ColdPromise { fetch(url) }.then { parse($0) }
  let first = try await page.execute()  // fetches
  let second = try await page.execute()  // fetches again
  return [first, second]
}

private func recipeOfACall(_ url: String) -> ColdPromise<Image> {
  let image = ColdPromise<Image> { complete in
    loader.load(url) { complete($0, $1) }
  }
  return image
}

private func sequence(_ view: View, _ animations: [Int]) -> ColdPromise<View> {
  let show = ColdPromise.value(view).sequence(animations) { view, animation in
    view.animate(animation)
  }
  return show
}

private func animation(_ view: View) -> ColdPromise<View> {
  let fadeOut = ColdPromise<View>(on: .main) { complete in
    View.animate(seconds: 2) {
      view.isHidden = true
    } completion: {
      complete(view)
    }
  }
  return fadeOut
}

private func run(_ recipe: ColdPromise<Image>) {
  recipe.start()
}

// MARK: Executors

private func loopExecutor() -> PromiseExecutor {
  final class LoopTarget: PromiseExecutorTarget {
    func enqueue(_ job: PromiseJob) { loop.execute { job.run() } }
  }
  let executor = PromiseExecutor(LoopTarget())
  return executor
}

private struct Labels {
  let user: Promise<User>

  @MainActor func load(into label: Label) {
    user.map { $0.name }
      .done(on: .main) { label.text = $0 }
      .catch(on: .main) { label.text = "\($0)" }
  }
}

private func onMain(_ image: Promise<Image>, _ view: View) {
  image.done(on: .main) { view.show($0) }
}

// MARK: Cancelling and failing

private func token(_ image: String) {
  let page = CancellationToken()
  load(image).cancelled(by: page).done(on: .main) { show($0) }
  page.cancel("the page was closed")
}

private func binding(_ url: String, _ token: CancellationToken) {
  let work = load(url).cancelled(by: token)
  work.done(on: .main) { show($0) }
}

private func reason(_ download: Promise<Image>) {
  download.cancel("the user left the page")
}

private func codes(_ error: PromiseError) {
  switch error.code {
  case .timedOut: retry()
  default: show(error)
  }
}

private func comparing(_ saved: Promise<Void>) {
  if saved.outcome == .fulfilled(()) { close() }
}

private func diagnosing() {
  PromiseDiagnostics.setSink { diagnostic in metrics.count("\(diagnostic.kind)") }
}

// MARK: - The surroundings of the code

struct User: Sendable { var name = "" }
struct Page: Sendable { var title = "" }
struct Image: Sendable { var thumbnail: String { "" } }
enum NetworkError: Error { case tooSlow }
enum DownloadError: Error { case tooSlow }

@MainActor final class Label { var text: String? }

@MainActor final class View {
  var isHidden = false

  func show(_ image: Image) {}

  nonisolated func animate(_ animation: Int) -> ColdPromise<View> { .value(self) }

  static func animate(seconds: Int, _ changes: () -> Void, completion: () -> Void) {}
}

private struct API: Sendable { func user(_ id: Int) async throws -> User { User() } }
private struct Loader: Sendable {
  func load(_ url: String, _ completion: @escaping @Sendable (Image?, (any Error)?) -> Void) {}
}
private struct Request: Sendable {
  func abort() {}
  func start(_ completion: @escaping @Sendable (Int) -> Void) {}
}
private struct Loop: Sendable { func execute(_ work: @escaping @Sendable () -> Void) { work() } }
private struct Metrics: Sendable { func count(_ name: String) {} }

private let api = API()
private let loader = Loader()
private let loop = Loop()
private let metrics = Metrics()

private func start() -> Promise<Page> { .value(Page()) }
private func load(_ url: String) -> Promise<Image> { .value(Image()) }
private func fetch(_ url: String) -> Promise<String> { .value("") }
private func parse(_ text: String) -> Page { Page() }
private func avatar(of user: User) -> Promise<Image> { .value(Image()) }
private func friends(of user: User) -> Promise<[User]> { .value([]) }
private func download(_ url: String) -> Promise<Image> { .value(Image()) }
private func download(_ url: String) async throws -> Image { Image() }
private func download(
  _ url: String, completion: @escaping @Sendable (Image?, (any Error)?) -> Void
) {}
private func readUser() throws -> User { User() }
private func render(_ page: Page) throws -> Image { Image() }
private func hash(of file: String) throws -> Int { 0 }
private func show(_ value: some Sendable) {}
private func show(_ value: some Sendable, _ other: some Sendable) {}
private func display(_ value: some Sendable) {}
private func log(_ value: some Sendable) {}
private func hideSpinner() {}
private func retry() {}
private func close() {}
