import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem

/// The requests that a script serves.
struct RequestPattern: Sendable, CustomStringConvertible {
    private let method: HTTPMethod?
    private let origin: String
    private let path: PathPattern
    private let query: [MockRequest.Item]
    private var predicate: (@Sendable (MockRequest) -> Bool)?
    private(set) var description: String

    init(_ method: HTTPMethod?, _ text: String) {
        let parts = URLParts(text)
        self.method = method
        origin = parts.origin
        query = TransportRequest.Item.all(of: parts.query)
        path = PathPattern(parts.path)
        description = "\(method?.rawValue ?? "any method") \(text)"
    }

    init(where predicate: @escaping @Sendable (MockRequest) -> Bool) {
        self.init(nil, "**")
        (self.predicate, description) = (predicate, "a request by predicate")
    }

    /// The values of the wildcards; `nil` if the request does not match.
    func match(_ request: MockRequest) -> [String: String]? {
        guard method == nil || method == request.method else { return nil }
        guard origin.isEmpty || origin == request.parts.origin else { return nil }
        guard let parameters = path.match(request.path) else { return nil }
        if !query.isEmpty {
            let items = request.query
            guard query.allSatisfy({ items.contains($0) }) else { return nil }
        }
        if let predicate, !predicate(request) { return nil }
        return parameters
    }

    /// The distance of this pattern to a request; wildcards count as matches.
    func distance(to request: MockRequest) -> Int {
        guard predicate == nil else { return .max }
        let found = request.path.split(separator: "/", omittingEmptySubsequences: false).map {
            PercentEncoding.decode($0)
        }
        let methods = method.map { $0.rawValue.editDistance(to: request.method.rawValue) } ?? 0
        return methods + path.filled(from: found).editDistance(to: found.joined(separator: "/"))
    }
}

extension String {
    /// How many bytes must be inserted, removed or replaced to turn this text into another.
    func editDistance(to other: String) -> Int {
        let left = Array(utf8)
        let right = Array(other.utf8)
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
