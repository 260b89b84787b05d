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
    private let target: RequestTarget
    private let path: String
    private var items: [(name: String, value: String?)]

    init(_ request: TransportRequest, at time: String, for signature: AWSSignature) throws {
        (self.time, isS3, method) = (time, signature.isS3, request.method.rawValue)
        target = try request.target()
        scope = [String(time.prefix(8)), signature.region, signature.service, "aws4_request"].joined(separator: "/")
        (path, items) = (target.respelledPath, target.respelledItems)
        var values = ["host": [target.authority]]
        for field in request.headers where !Self.changing.contains(field.name.lowercased()) {
            let value = field.value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
            values[field.name.lowercased(), default: []].append(value)
        }
        names = values.keys.sorted().joined(separator: ";")
        lines = values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
    }

    mutating func add(_ name: String, _ value: String) {
        items.append((name, PercentEncoding.encode(value, as: .component)))
    }

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
        let lines = [Self.algorithm, time, scope, ContentHash.sha256(text.utf8).hex].joined(separator: "\n")
        return ContentHash.hmac(lines.utf8, key: key(of: secret)).hex
    }

    /// The key of the day.
    func key(of secret: String) -> [UInt8] {
        scope.split(separator: "/").reduce(Array("AWS4\(secret)".utf8)) { ContentHash.hmac($1.utf8, key: $0).bytes }
    }

    /// The URL in the escaping that is signed; `nil` if it is spelled like that.
    var url: URL? {
        let query = items.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
        if path == target.path, query == target.query ?? "" { return nil }
        return URL(string: target.head + path + (items.isEmpty ? "" : "?\(query)"))
    }

    /// Without `.`, `..` and empty segments, and escaped once more.
    private var normalizedPath: String {
        let segments = RequestTarget.normalized(path).split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { PercentEncoding.encode(String($0), as: .component) }.joined(separator: "/")
    }
}
