import CoreNetKitEssentials
import CoreNetKitSystem

/// The path and the query of a page, such as `/floors/:floor<int>/rooms/:room?sort&page<int>`.
///
/// One pattern both reads and prints links. A segment that begins with `:` is a parameter. The names of query items
/// follow `?`; an item is optional unless its name is followed by `!`; other items of a URL are ignored. A type in
/// angle brackets is `int`, `uuid`, `bool` or `text`, the default.
public struct DeepLinkPattern: Sendable, Hashable, ExpressibleByStringLiteral {
    enum Kind: String, Sendable {
        case text, int, uuid, bool

        /// The canonical form of a value; `nil` if it is not of this kind.
        func canonical(_ text: String) -> String? {
            switch self {
            case .text: text
            case .int: Int(text).map { String($0) }
            case .uuid: UUID(uuidString: text)?.uuidString
            case .bool: ["true": "true", "1": "true", "false": "false", "0": "false"][text]
            }
        }
    }

    struct Parameter: Sendable, Hashable {
        let name: String
        /// `nil` for an unknown type, which no value matches.
        let kind: Kind?
        let isRequired: Bool
        let text: String

        init(_ text: Substring) {
            self.text = String(text)
            isRequired = text.last == "!"
            let parts = text.prefix { $0 != "!" }.split(separator: "<", maxSplits: 1)
            name = String(parts.first ?? "")
            kind = parts.count < 2 ? .text : Kind(rawValue: String(parts[1].prefix { $0 != ">" }))
        }
    }

    enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(Parameter)
    }

    let segments: [Segment]
    let query: [Parameter]

    /// Creates a pattern: segments between slashes, then the names of the query.
    public init(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        segments = parts[0].split(separator: "/").map { segment in
            segment.first == ":" ? .parameter(Parameter(segment.dropFirst())) : .literal(String(segment))
        }
        query = parts.count < 2 ? [] : parts[1].split(separator: "&").map { Parameter($0) }
    }

    /// Creates a pattern from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    init(segments: [Segment], query: [Parameter]) {
        (self.segments, self.query) = (segments, query)
    }

    /// Returns the pattern of a nested page: a prefix, whose query items come first, and this pattern.
    public func nested(under prefix: DeepLinkPattern) -> DeepLinkPattern {
        DeepLinkPattern(segments: prefix.segments + segments, query: prefix.query + query)
    }

    var parameters: [Parameter] {
        segments.compactMap { if case .parameter(let parameter) = $0 { parameter } else { nil } } + query
    }

    /// Whether the printed path can begin as the host of a URL with an app scheme.
    var startsLikeAHost: Bool {
        if case .literal(let text) = segments.first { LinkText.isUnreserved(text) } else { false }
    }

    /// Sorts literals before typed parameters before text parameters, so that the most specific pattern is tried first.
    var rank: String {
        let path = segments.map { segment in
            if case .parameter(let parameter) = segment { parameter.kind == .text ? "2" : "1" } else { "0" }
        }
        return path.joined() + (query.contains(where: \.isRequired) ? "0" : "1")
    }
}

extension DeepLinkPattern: CustomStringConvertible {
    /// The pattern as text.
    public var description: String {
        let path = segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let parameter): "/:" + parameter.text
            }
        }
        return path.joined() + (query.isEmpty ? "" : "?" + query.map(\.text).joined(separator: "&"))
    }
}

extension DeepLinkPattern {
    func match(_ address: LinkAddress) throws(DeepLinkMismatch) -> DeepLinkParameters {
        guard address.segments.count == segments.count else {
            throw .length(expected: segments.count, found: address.segments.count)
        }
        var found = DeepLinkParameters()
        for (index, (segment, text)) in zip(segments, address.segments).enumerated() {
            switch segment {
            case .literal(let literal):
                let isHost = index == 0 && address.startsWithHost
                guard literal == text || isHost && literal.lowercasedASCII == text.lowercasedASCII else {
                    throw .literal(literal, at: index)
                }
            case .parameter(let parameter): try Self.take(text, as: parameter, into: &found)
            }
        }
        for parameter in query {
            if let text = address.query[parameter.name] {
                try Self.take(text, as: parameter, into: &found)
            } else if parameter.isRequired {
                throw .missing(parameter.name)
            }
        }
        return found
    }

    private static func take(
        _ text: String,
        as parameter: Parameter,
        into found: inout DeepLinkParameters
    ) throws(DeepLinkMismatch) {
        guard let value = parameter.kind?.canonical(text) else { throw .type(parameter.text) }
        guard found[parameter.name] ?? value == value else { throw .conflict(parameter.name) }
        found[parameter.name] = value
    }

    func fill(_ parameters: DeepLinkParameters) throws(DeepLinkError) -> LinkAddress {
        var path: [String] = []
        for segment in segments {
            switch segment {
            case .literal(let text): path.append(text)
            case .parameter(let parameter):
                guard let value = parameters[parameter.name], !value.isBlank else { throw .missingID }
                guard let value = parameter.kind?.canonical(value) else { throw .badParameter(parameter.name) }
                path.append(try LinkText.check(value))
            }
        }
        var items: [String: String] = [:]
        for parameter in query {
            guard let value = parameters[parameter.name] else {
                if parameter.isRequired { throw .missingID }
                continue
            }
            guard let value = parameter.kind?.canonical(value) else { throw .badParameter(parameter.name) }
            items[parameter.name] = try LinkText.checkLength(value)
        }
        return LinkAddress(segments: path, query: items)
    }

    /// Prints an address, without a leading slash.
    func print(_ address: LinkAddress) -> String {
        let path = address.segments.map(LinkText.encode).joined(separator: "/")
        let items = query.compactMap { parameter in
            address.query[parameter.name].map { LinkText.encode(parameter.name) + "=" + LinkText.encode($0) }
        }
        return path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}
