import CLedgerBytes

/// The step of SHA-256 that takes nearly all the time, in both of its forms.
enum SHA256Blocks {
  /// Adds whole blocks of 64 bytes to a state of 8 words, by the processor's instructions if it has
  /// them.
  static func add(_ blocks: Span<UInt8>, to state: inout [UInt32]) {
    precondition(state.count == 8 && blocks.count.isMultiple(of: 64), "not whole blocks")
    unsafe blocks.withUnsafeBufferPointer { blocks in
      unsafe cledger_sha256_add_blocks(&state, blocks.baseAddress, blocks.count / 64)
    }
  }

  /// Does the same in plain C, which runs where the instructions are missing.
  static func addPortably(_ blocks: Span<UInt8>, to state: inout [UInt32]) {
    precondition(state.count == 8 && blocks.count.isMultiple(of: 64), "not whole blocks")
    unsafe blocks.withUnsafeBufferPointer { blocks in
      unsafe cledger_sha256_add_blocks_portable(&state, blocks.baseAddress, blocks.count / 64)
    }
  }
}
