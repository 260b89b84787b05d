import CoreNetKitHTTP
import CoreNetKitSystem

/// The requests that a script serves.
struct RequestPattern: Sendable, CustomStringConvertible {
    private enum Segment: Sendable {
        case text(String)
        case parameter(String)
        case any
        case rest
    }

    private let method: HTTPMethod?
    private let origin: String
    private let segments: [Segment]
    private let query: [MockRequest.Item]
    private let predicate: (@Sendable (MockRequest) -> Bool)?
    let description: String

    init(_ method: HTTPMethod?, _ text: String) {
        let parts = URLParts(text)
        self.method = method
        origin = parts.origin
        query = TransportRequest.Item.all(of: parts.query)
        segments = RequestPattern.segments(of: parts.path)
        predicate = nil
        description = "\(method?.rawValue ?? "any method") \(text)"
    }

    init(where predicate: @escaping @Sendable (MockRequest) -> Bool) {
        method = nil
        origin = ""
        query = []
        segments = [.rest]
        self.predicate = predicate
        description = "a request by predicate"
    }

    /// The values of the wildcards; `nil` if the request does not match.
    func match(_ request: MockRequest) -> [String: String]? {
        guard method == nil || method == request.method else { return nil }
        guard origin.isEmpty || origin == request.parts.origin else { return nil }
        guard let parameters = match(path: request.path) else { return nil }
        if !query.isEmpty {
            let items = request.query
            guard query.allSatisfy({ items.contains($0) }) else { return nil }
        }
        if let predicate, !predicate(request) { return nil }
        return parameters
    }

    private func match(path: String) -> [String: String]? {
        let found = path.split(separator: "/", omittingEmptySubsequences: false)
        var parameters: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .rest = segment { return parameters }
            guard index < found.count else { return nil }
            let value = PercentEncoding.decode(found[index])
            switch segment {
            case .text(let text): if text != value { return nil }
            case .parameter(let name): if value.isEmpty { return nil } else { parameters[name] = value }
            case .any, .rest: if value.isEmpty { return nil }
            }
        }
        return found.count == segments.count ? parameters : nil
    }

    /// The distance of this pattern to a request; wildcards count as matches.
    func distance(to request: MockRequest) -> Int {
        guard predicate == nil else { return .max }
        let found = request.path.split(separator: "/", omittingEmptySubsequences: false)
        let path = segments.enumerated().map { index, segment in
            switch segment {
            case .text(let text): text
            case .parameter, .any: index < found.count ? PercentEncoding.decode(found[index]) : "*"
            case .rest: found.dropFirst(index).map { PercentEncoding.decode($0) }.joined(separator: "/")
            }
        }
        let requested = found.map { PercentEncoding.decode($0) }.joined(separator: "/")
        let methods = method.map { $0.rawValue.editDistance(to: request.method.rawValue) } ?? 0
        return methods + path.joined(separator: "/").editDistance(to: requested)
    }

    private static func segments(of path: String) -> [Segment] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            if part == "**", index == parts.count - 1 { return .rest }
            if part == "*" { return .any }
            if part.hasPrefix(":"), part.count > 1 { return .parameter(String(part.dropFirst())) }
            return .text(PercentEncoding.decode(part))
        }
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
