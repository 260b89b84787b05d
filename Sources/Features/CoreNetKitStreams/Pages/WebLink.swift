public import CoreNetKitEssentials
import CoreNetKitHTTP

/// One link of a `Link` field (RFC 8288): its target and its relations.
public struct WebLink: Sendable, Hashable {
    /// The reference as it was written, absolute or relative.
    public let target: String
    private let parameters: [FieldParameter]

    /// Reads the values of `Link` fields; several fields are one list.
    ///
    /// - Throws: ``StreamError`` with code `malformed`: an unreadable field must not be taken for "no next page".
    public static func links(in fields: [String]) throws(StreamError) -> [WebLink] {
        var links: [WebLink] = []
        for field in fields {
            let read = FieldScanner.links(in: field)
            if let fault = read.fault {
                throw StreamError(.malformed, "a Link field cannot be read", offset: Int64(fault))
            }
            links += read.links.map { WebLink(target: $0.target, parameters: $0.parameters) }
        }
        return links
    }

    /// The first parameter of a name; empty if it has no value.
    public subscript(parameter: String) -> String? {
        parameters.first { $0.name == parameter.lowercased() }?.value
    }

    /// The relations in lower case: the words of the first `rel`.
    public var relations: [String] {
        (self["rel"] ?? "").split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }

    /// The absolute URL of the link; `nil` if it is about something else than the requested resource (`anchor`) or is no URL.
    public func url(relativeTo base: URL) -> URL? {
        if let anchor = self["anchor"], Self.resolve(anchor, base) != Self.resolve("", base) { return nil }
        return Self.resolve(target, base)
    }

    /// The absolute URL of the first link with a relation, such as `next`; throws as ``links(in:)``.
    public static func url(_ relation: String, in fields: [String], base: URL) throws(StreamError) -> URL? {
        for link in try links(in: fields) where link.relations.contains(relation.lowercased()) {
            if let url = link.url(relativeTo: base) { return url }
            if link["anchor"] == nil { throw StreamError(.malformed, "the link \(relation) has no valid URL") }
        }
        return nil
    }

    private static func resolve(_ reference: String, _ base: URL) -> URL? {
        let text = reference.prefix { $0 != "#" }
        guard !text.isEmpty else { return URL(string: String(base.absoluteString.prefix { $0 != "#" })) }
        return URL(string: String(text), relativeTo: base)?.absoluteURL
    }
}
