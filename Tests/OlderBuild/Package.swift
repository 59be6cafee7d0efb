// swift-tools-version: 6.2.3
import PackageDescription

// A program that is built with an older checkout of PromiseLedger, as `Tools/test-older-build` does.
let package = Package(
  name: "older-build",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PromiseLedger", path: Context.environment["OLDER_CHECKOUT"] ?? "../..")
  ],
  targets: [
    .executableTarget(
      name: "older-writer",
      dependencies: [.product(name: "PromiseLedger", package: "PromiseLedger")],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
