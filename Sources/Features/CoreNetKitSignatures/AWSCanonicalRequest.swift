import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The one form of a request that client and server of AWS sign.
struct AWSCanonicalRequest {
    static let algorithm = "AWS4-HMAC-SHA256"
    /// Fields that are not signed, because proxies or the transport change them.
    private static let changing: Set<String> = [
        "accept-encoding", "baggage", "connection", "expect", "keep-alive", "te", "traceparent", "tracestate",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    /// For what the key of the day is valid: day, region, service.
    let scope: String
    /// `20130524T000000Z`.
    private let time: String
    private let isS3: Bool
    /// The names of the signed fields, and their lines, each with its end.
    let names: String
    private let lines: String
    private let method: String
    private let target: SignedTarget
    private let path: String
    private var items: [(name: String, value: String?)]

    init(_ request: TransportRequest, at time: String, for signature: AWSSignature) throws {
        (self.time, isS3, method) = (time, signature.isS3, request.method.rawValue)
        target = try SignedTarget(request.urlText)
        scope = [String(time.prefix(8)), signature.region, signature.service, "aws4_request"].joined(separator: "/")
        path = target.path.split(separator: "/", omittingEmptySubsequences: false).map { Self.respelled($0) }
            .joined(separator: "/")
        items = (target.query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Self.respelled($0, plusIsSpace: true) }
            return (parts[0], parts.count == 1 ? nil : parts[1])
        }
        var values = ["host": [target.authority]]
        for field in request.headers where !Self.changing.contains(field.name.lowercased()) {
            let value = field.value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
            values[field.name.lowercased(), default: []].append(value)
        }
        names = values.keys.sorted().joined(separator: ";")
        lines = values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
    }

    mutating func add(_ name: String, _ value: String) { items.append((name, Self.escaped(value))) }

    /// Puts the signature into the query, where nothing may be added afterwards.
    mutating func presign(_ content: String, with credentials: AWSSignature.Credentials, for seconds: Int64) {
        add("X-Amz-Algorithm", Self.algorithm)
        add("X-Amz-Credential", "\(credentials.keyID)/\(scope)")
        add("X-Amz-Date", time)
        add("X-Amz-Expires", "\(seconds)")
        add("X-Amz-SignedHeaders", names)
        add("X-Amz-Signature", signature(of: content, with: credentials.secret))
    }

    func signature(of content: String, with secret: String) -> String {
        let query = items.map { ($0.name, $0.value ?? "") }.sorted { $0 < $1 }.map { "\($0)=\($1)" }
        let path = isS3 ? path : normalizedPath
        let text = [method, path, query.joined(separator: "&"), lines, names, content].joined(separator: "\n")
        let hash = ContentHash.sha256(text.utf8).hex
        let key = scope.split(separator: "/").reduce(Array("AWS4\(secret)".utf8)) { key, name in
            ContentHash.hmac(name.utf8, key: key).bytes
        }
        return ContentHash.hmac([Self.algorithm, time, scope, hash].joined(separator: "\n").utf8, key: key).hex
    }

    /// The URL in the escaping that is signed; `nil` if it is spelled like that.
    var url: URL? {
        let query = items.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
        if path == target.path, query == target.query ?? "" { return nil }
        return URL(string: target.head + path + (items.isEmpty ? "" : "?\(query)"))
    }

    /// Without `.`, `..` and empty segments, and escaped once more.
    private var normalizedPath: String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.map { Self.escaped(String($0)) }.joined(separator: "/") + end
    }

    private static func escaped(_ text: String) -> String { PercentEncoding.encode(text, as: .component) }

    /// Escapes everything but unreserved characters; bytes that are not UTF-8 keep their escapes.
    private static func respelled(_ text: Substring, plusIsSpace: Bool = false) -> String {
        PercentEncoding.decodeStrictly(text, plusIsSpace: plusIsSpace).map(escaped)
            ?? String(PercentEncoding.encodeKeepingEscapes(text, as: .component))
    }
}
