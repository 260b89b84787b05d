import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson

/// The compared parts of a request, normalised so that equal requests have equal texts.
struct CassetteKey: Hashable {
    struct Part: Hashable {
        let name: String
        let text: String
    }

    let parts: [Part]

    init(_ request: CassetteRequest, _ matches: [CassetteMatch]) {
        var parts: [Part] = []
        func add(_ name: String, _ text: String) { parts.append(Part(name: name, text: RedactionTokens.plain(text))) }
        for match in matches {
            switch match.kind {
            case .method: add("method", request.method)
            case .url:
                let url = URLParts(request.url)
                add("origin", Self.origin(url.origin))
                add("path", url.path)
                add("query", Self.items(url.query))
            case .body: add("body", Self.body(request, except: []))
            case .json(let names): add("body", Self.body(request, except: names))
            case .header(let name): add("field \(name)", request.headers[values: name].joined(separator: ", "))
            }
        }
        self.parts = parts
    }

    func differences(from other: CassetteKey) -> [String] {
        zip(parts, other.parts).filter { $0 != $1 }.map(\.0.name)
    }

    /// The distance of two requests; only for reports.
    func distance(to other: CassetteKey) -> Int {
        zip(parts, other.parts).reduce(0) { sum, pair in
            guard pair.0 != pair.1 else { return sum }
            return sum + 1000 + String(pair.0.text.prefix(80)).editDistance(to: String(pair.1.text.prefix(80)))
        }
    }

    private static func origin(_ origin: String) -> String {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] {
            if origin.hasPrefix(scheme), origin.hasSuffix(port) { return String(origin.dropLast(port.count)) }
        }
        return origin
    }

    private static func items(_ text: String) -> String {
        TransportRequest.Item.all(of: text).map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "\n")
    }

    private static func body(_ request: CassetteRequest, except names: Set<String>) -> String {
        let type = request.headers["Content-Type"] ?? ""
        let media = type.prefix { $0 != ";" }.lowercased()
        if media.hasSuffix("json"), let json = try? Json(parsing: request.body) {
            return (try? without(names, json).text(sortedKeys: true)) ?? "not comparable"
        }
        guard let text = String(validating: request.body, as: UTF8.self) else {
            return request.body.base64EncodedString()
        }
        if media == "application/x-www-form-urlencoded" { return items(text) }
        let boundary = MediaTypeField(parsing: type)?[parameter: "boundary"]
        if media.hasPrefix("multipart/"), let boundary, !boundary.isEmpty {
            return text.split(separator: boundary, omittingEmptySubsequences: false).joined(separator: "(boundary)")
        }
        return text
    }

    private static func without(_ names: Set<String>, _ json: Json) -> Json {
        if let elements = json.array { return Json(elements.map { without(names, $0) }) }
        guard json.object != nil else { return canonical(json) }
        let members = json.members.filter { !names.contains($0.key) }.map { ($0.key, without(names, $0.value)) }
        return Json(Dictionary(members) { first, _ in first })
    }

    /// Numbers of equal value as equal texts; those that a `Double` would round are unchanged.
    private static func canonical(_ json: Json) -> Json {
        guard let text = json.number else { return json }
        if let integer = json.int64 { return Json(integer) }
        guard text.utf8.count <= 17, let value = json.double, value.isFinite else { return json }
        return Json(floatLiteral: value)
    }
}

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

/// A recorded request in which each redaction token matches any single value: an item, a segment, a text.
struct CassettePattern {
    /// The texts around the tokens of each part.
    private let parts: [[String]]

    init(_ key: CassetteKey, _ tokens: RedactionTokens) {
        parts = key.parts.map { Self.pieces(Self.withoutNumbers($0.text, tokens)) }
    }

    func matches(_ key: CassetteKey) -> Bool {
        parts.count == key.parts.count
            && zip(parts, key.parts).allSatisfy { Self.matches(Substring($1.text), $0) }
    }

    private static func pieces(_ text: String) -> [String] {
        var pieces: [String] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            let piece = String(rest[..<open.lowerBound])
            // Two consecutive tokens count as one.
            if !piece.isEmpty || pieces.isEmpty { pieces.append(piece) }
            rest = rest[close.upperBound...]
        }
        return pieces + [String(rest)]
    }

    /// Replaces numeric redaction tokens by textual ones.
    private static func withoutNumbers(_ text: String, _ tokens: RedactionTokens) -> String {
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(where: isDigit) {
            let number = rest[start...].prefix(while: isDigit)
            let before = rest[..<start].last
            let isWord =
                before.map { !isLetter($0) } ?? true && rest[number.endIndex...].first.map { !isLetter($0) } ?? true
            result += rest[..<start] + (isWord && tokens.isNumber(number) ? "{{}}" : number)
            rest = rest[number.endIndex...]
        }
        return result + rest
    }

    private static func isDigit(_ character: Character) -> Bool { character >= "0" && character <= "9" }
    private static func isLetter(_ character: Character) -> Bool { character.isLetter || "-_.".contains(character) }

    private static func matches(_ text: Substring, _ pieces: [String]) -> Bool {
        guard let first = pieces.first, let last = pieces.last else { return text.isEmpty }
        guard pieces.count > 1 else { return text == first }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.dropFirst().firstRange(of: piece), isValue(rest[..<range.lowerBound]) else {
                return false
            }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last) && isValue(rest.dropLast(last.count))
    }

    private static func isValue(_ text: Substring) -> Bool {
        !text.isEmpty && !text.utf8.contains { "/&?\n\",<> ".utf8.contains($0) }
    }
}
