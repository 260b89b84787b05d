import CoreNetKitHTTP

/// The fields of a stored response with its age, built on demand.
final class StoredHead: ResponseSource {
    private let fields: Headers
    private let hasAge: Bool
    private let age: Int64

    init(_ variant: CacheVariant, age: Int64) {
        fields = variant.headers
        hasAge = variant.facts.hasAge
        self.age = age
    }

    var headers: Headers {
        var headers = fields
        if hasAge { headers.remove("Age") }
        headers.append("Age", String(age / 1000))
        return headers
    }

    var timings: TransportTimings { TransportTimings() }

    var httpVersion: String? { nil }

    var reason: String { "" }
}
