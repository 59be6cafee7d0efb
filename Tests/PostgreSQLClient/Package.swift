// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "postgresql-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    .executableTarget(
      name: "postgresql-client",
      dependencies: [.product(name: "PromiseLedgerPostgreSQL", package: "PromiseLedger")],
      path: "Sources")
  ]
)
