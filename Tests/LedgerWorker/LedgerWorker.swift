@main
struct LedgerWorker {
  static func main() {}
}
