import CoreNetKitSystem

/// The paths that a script of the mock or a route of the loopback server serves.
///
/// `:name` and `*` match one segment that is not empty, `**` at the end any rest, even none. Escapes are decoded.
package struct PathPattern: Sendable {
    private enum Segment: Sendable, Equatable {
        case text(String)
        case parameter(String)
        case any
        case rest
    }

    package let text: String
    private let segments: [Segment]
    /// Whether the pattern has no wildcards or escapes.
    private let isPlain: Bool

    package init(_ text: String) {
        self.text = text
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        segments = parts.enumerated().map { index, part in
            if part == "**", index == parts.count - 1 { return .rest }
            if part == "*" { return .any }
            if part.hasPrefix(":"), part.count > 1 { return .parameter(String(part.dropFirst())) }
            return .text(PercentEncoding.decode(part))
        }
        isPlain = segments == parts.map { .text(String($0)) }
    }

    /// The values of the `:name` segments, decoded; `nil` if the path does not match.
    package func match(_ path: String) -> [String: String]? {
        if isPlain, !path.utf8.contains(UInt8(ascii: "%")) { return path == text ? [:] : nil }
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

    /// The pattern with its wildcards replaced by the path's segments.
    package func filled(from path: [String]) -> String {
        let filled = segments.enumerated().map { index, segment in
            switch segment {
            case .text(let text): text
            case .parameter, .any: index < path.count ? path[index] : "*"
            case .rest: path.dropFirst(index).joined(separator: "/")
            }
        }
        return filled.joined(separator: "/")
    }
}
