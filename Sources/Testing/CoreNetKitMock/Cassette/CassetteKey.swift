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

    /// The names of the parts in which two requests differ.
    func differences(from other: CassetteKey) -> [String] {
        zip(parts, other.parts).filter { $0 != $1 }.map(\.0.name)
    }

    /// The distance of two requests; only for reports.
    func distance(to other: CassetteKey) -> Int {
        zip(parts, other.parts).reduce(0) { sum, pair in
            guard pair.0 != pair.1 else { return sum }
            let (left, right) = (pair.0.text.prefix(80), pair.1.text.prefix(80))
            return sum + 1000 + EditDistance.between(String(left), String(right))
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
        if media.hasPrefix("multipart/"), let boundary = boundary(of: type) {
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

    private static func boundary(of type: String) -> String? {
        guard let range = type.firstRange(of: "boundary=") else { return nil }
        let value = type[range.upperBound...].prefix { $0 != ";" }
        let plain = value.filter { $0 != "\"" }
        return plain.isEmpty ? nil : String(plain)
    }
}
