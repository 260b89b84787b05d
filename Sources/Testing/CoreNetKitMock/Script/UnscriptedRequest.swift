import CoreNetKitHTTP

/// Makes the error of a request without a script.
enum UnscriptedRequest {
    static func error(_ request: MockRequest, _ scripts: [Script]) -> TransportError {
        // Another attempt would find no script either.
        TransportError(.failed, phase: .queue, message: message(request, scripts), isSafeToResend: false)
    }

    private static func message(_ request: MockRequest, _ scripts: [Script]) -> String {
        guard !scripts.isEmpty else { return "no script for \(request): the mock has none; add one with on(…)" }
        let matching = scripts.filter { $0.pattern.match(request) != nil }
        if let used = matching.last {
            return "no script for \(request): \(used) was used \(used.used) times; raise times, or add another"
        }
        let nearest = scripts.map { (script: $0, distance: $0.pattern.distance(to: request)) }
            .sorted { $0.distance < $1.distance }
            .prefix(3).map(\.script.description)
        return "no script for \(request); nearest: \(nearest.joined(separator: ", "))"
    }
}
