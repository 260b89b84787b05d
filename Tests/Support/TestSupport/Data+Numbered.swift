extension Data {
    private static let unit = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Bytes that differ from their neighbours, and from those a block further on: content that shows what was lost or moved.
    ///
    /// Doubled until they are enough, because a closure for each byte takes seconds for some megabytes in a debug build.
    package static func numbered(_ count: Int) -> Data {
        var data = unit
        while data.count < count { data += data }
        return Data(data.prefix(count))
    }
}
