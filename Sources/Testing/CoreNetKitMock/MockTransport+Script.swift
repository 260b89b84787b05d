public import CoreNetKitHTTP

extension MockTransport {
    /// Scripts the responses to a method and a path, one after another; the last is repeated.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` matches any.
    ///   - path: The pattern, see ``MockTransport``.
    ///   - times: How many requests it serves; further ones go to the scripts added earlier. `nil` sets no limit.
    ///   - first: The first response.
    ///   - others: The responses after it.
    ///   - file: The source file of the script, for reports.
    ///   - line: The source line of the script, for reports.
    public func on(
        _ method: HTTPMethod?,
        _ path: String,
        times: Int? = nil,
        _ first: MockResponse,
        _ others: MockResponse...,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        add(RequestPattern(method, path), .replies([first] + others), times, file, line)
    }

    /// As ``on(_:_:times:_:_:file:line:)``, with a response computed from the request; an error is thrown to the caller.
    public func on(
        _ method: HTTPMethod?,
        _ path: String,
        times: Int? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        reply: @escaping @Sendable (MockRequest) async throws -> MockResponse
    ) {
        add(RequestPattern(method, path), .computed(reply), times, file, line)
    }

    /// As ``on(_:_:times:_:_:file:line:)``, for the requests that match a predicate.
    public func on(
        where predicate: @escaping @Sendable (MockRequest) -> Bool,
        times: Int? = nil,
        _ first: MockResponse,
        _ others: MockResponse...,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        add(RequestPattern(where: predicate), .replies([first] + others), times, file, line)
    }

    private func add(
        _ pattern: RequestPattern,
        _ source: Script.Source,
        _ times: Int?,
        _ file: StaticString,
        _ line: UInt
    ) {
        let script = Script(pattern: pattern, source: source, times: times, location: "\(file):\(line)")
        state.update { $0.scripts.append(script) }
    }
}
