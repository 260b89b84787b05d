import CoreNetKitHTTP

/// The requests that a script serves, its responses, and its use.
struct Script: Sendable, CustomStringConvertible {
    enum Source: Sendable {
        /// One after another; the last one is repeated.
        case replies([MockResponse])
        case computed(@Sendable (MockRequest) async throws -> MockResponse)
    }

    let pattern: RequestPattern
    let source: Source
    /// The maximum number of requests that it serves.
    let times: Int?
    let location: String
    var useCount = 0

    var isExhausted: Bool { times.map { useCount >= $0 } ?? false }

    /// How many requests use the script completely.
    private var expectedUses: Int {
        if let times { return times }
        guard case .replies(let replies) = source else { return 1 }
        return replies.count
    }

    var hasUsesLeft: Bool { useCount < expectedUses }

    var description: String { "\(pattern) (\(location))" }

    var shortfall: String { "\(self): \(useCount) of \(expectedUses) used" }
}

extension TransportError {
    /// The script or tape has no response: another attempt would find none either.
    static func unscripted(_ message: String) -> TransportError {
        TransportError(.failed, phase: .queue, message: message, isSafeToResend: false)
    }
}

extension [Script] {
    func message(for request: MockRequest) -> String {
        guard !isEmpty else { return "no script for \(request): the mock has none; add one with on(…)" }
        if let used = last(where: { $0.pattern.match(request) != nil }) {
            return "no script for \(request): \(used) was used \(used.useCount) times; raise times, or add another"
        }
        let nearest = map { (script: $0, distance: $0.pattern.distance(to: request)) }
            .sorted { $0.distance < $1.distance }
            .prefix(3).map(\.script.description)
        return "no script for \(request); nearest: \(nearest.joined(separator: ", "))"
    }
}
