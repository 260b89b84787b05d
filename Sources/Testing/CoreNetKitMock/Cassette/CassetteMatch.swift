/// A part of requests that must be equal for a recorded response to match.
public struct CassetteMatch: Sendable, Hashable {
    enum Kind: Hashable {
        case method, url, body
        case json(except: Set<String>)
        case header(String)
    }

    let kind: Kind

    var isOfContent: Bool {
        switch kind {
        case .body, .json: true
        case .method, .url, .header: false
        }
    }

    /// The method.
    public static let method = CassetteMatch(kind: .method)
    /// Scheme, host, port, path, and the items of the query in any order; the fragment never counts.
    public static let url = CassetteMatch(kind: .url)
    /// The content: JSON by its values, a form by its items in any order, multipart without its boundary, else byte by byte.
    public static let body = CassetteMatch(kind: .body)

    /// The content without some members of its JSON, such as dates, signatures and random ids.
    public static func json(except names: String...) -> CassetteMatch {
        CassetteMatch(kind: .json(except: Set(names)))
    }

    /// A header field.
    public static func header(_ name: String) -> CassetteMatch {
        CassetteMatch(kind: .header(name.lowercased()))
    }
}

extension [CassetteMatch] {
    /// Method, URL and content.
    public static let standard: [CassetteMatch] = [.method, .url, .body]
}
