import CoreNetKitHTTP

/// How long a server keeps a connection, as the `Keep-Alive` fields of its responses say (RFC 2068, 19.7.1.1).
package struct KeepAlive: Hashable, Sendable {
    /// What one field says.
    package struct Field: Hashable, Sendable {
        /// Seconds without a request.
        package private(set) var timeout: Int64?
        /// Requests, that of this response among them: servers that count down and those that do not both get no more.
        package private(set) var max: Int64?

        package init() {}

        /// Reads one parameter; others, and those that are not numbers, are ignored.
        mutating func note(_ parameter: Range<Int>, in bytes: UnsafeRawBufferPointer) {
            let equals = bytes[parameter].firstIndex(of: UInt8(ascii: "=")) ?? parameter.upperBound
            let name = ASCII.trimmed(bytes, parameter.lowerBound..<equals)
            guard equals < parameter.upperBound,
                let number = ASCII.number(bytes, ASCII.trimmed(bytes, equals + 1..<parameter.upperBound))
            else { return }
            if ASCII.matches(bytes, name, "timeout") { timeout = number }
            if ASCII.matches(bytes, name, "max") { max = number }
        }
    }

    private var responses: Int64 = 0
    private var most = Int64.max
    private var seconds: Int64?

    package init() {}

    /// A response has ended.
    ///
    /// - Returns: Whether another request may follow it.
    package mutating func note(_ field: Field) -> Bool {
        if let max = field.max { most = min(most, responses.saturatingAdd(max)) }
        if let timeout = field.timeout { seconds = timeout }
        responses = responses.saturatingAdd(1)
        return responses < most && seconds.map { $0 > 1 } ?? true
    }

    /// For how long the connection may be idle: a second less than the server says, so that no request meets its end.
    ///
    /// - Parameter configured: What the configuration allows, in nanoseconds.
    /// - Returns: Nanoseconds.
    package func idleLimit(_ configured: Int64) -> Int64 {
        seconds.map { min(configured, Swift.max(0, $0 - 1).saturatingMultiply(1_000_000_000)) } ?? configured
    }
}
