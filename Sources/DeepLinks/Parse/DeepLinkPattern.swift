/// The path of a page, such as `/messages/:id`: literal segments, and parameters that a segment of any text fills.
///
/// One pattern is used in both directions, to read a path and to print it.
public struct DeepLinkPattern: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    private let segments: [Segment]

    /// Creates a pattern.
    ///
    /// - Parameter text: Segments between slashes; one that begins with `:` is a parameter of that name.
    public init(_ text: String) {
        segments = text.split(separator: "/").map { segment in
            segment.first == ":" ? .parameter(String(segment.dropFirst())) : .literal(String(segment))
        }
    }

    /// Creates a pattern from a literal.
    ///
    /// - Parameter value: Segments between slashes; one that begins with `:` is a parameter of that name.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The pattern as it is written.
    public var description: String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let name): "/:" + name
            }
        }.joined()
    }

    /// The names of the parameters, in order.
    var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Whether the printed path can start in the host's place of a URL with an app scheme.
    var startsLikeAHost: Bool {
        if case .literal(let text) = segments.first { text.utf8.allSatisfy(PathSegment.isUnreserved) } else { false }
    }

    /// Sorts literals before parameters, so that the most specific pattern is tried first.
    var rank: String {
        String(segments.map { if case .literal = $0 { "0" } else { "1" } })
    }

    /// The parameters of a path that this pattern matches, segment by segment; `nil` when it does not.
    func match(_ address: LinkAddress) -> [String: String]? {
        guard address.segments.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (index, (segment, text)) in zip(segments, address.segments).enumerated() {
            switch segment {
            case .literal(let literal):
                let isHost = index == 0 && address.startsWithHost
                guard literal == text || isHost && literal.lowercasedASCII == text.lowercasedASCII else { return nil }
            case .parameter(let name):
                guard values.updateValue(text, forKey: name) ?? text == text else { return nil }
            }
        }
        return values
    }

    /// The path with these parameters.
    func fill(_ values: [String: String]) throws(DeepLinkError) -> [String] {
        var path: [String] = []
        for segment in segments {
            switch segment {
            case .literal(let text): path.append(text)
            case .parameter(let name):
                guard let value = values[name], !value.isBlank else { throw .missingID }
                path.append(try PathSegment.check(value))
            }
        }
        return path
    }
}

extension String {
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
