package protocol RunningHash: Sendable {
    mutating func update(_ bytes: UnsafeRawBufferPointer)
    /// The result so far; more bytes may follow.
    var digest: [UInt8] { get }
}

extension RunningHash {
    package mutating func update(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }
}
