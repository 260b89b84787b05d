import CoreNetKit
import CoreNetKitHTTP
import Foundation

/// The two parts of an access key.
struct AccessKey: Sendable {
    var id: String
    var secret: String
}

/// Signs each request on the wire, by AWS Signature Version 4.
struct SignatureV4: ChainPolicy {
    var signer: RequestSigner
    /// Who gets a signature: a redirect may lead to others.
    var endpoint: Origin

    init(key: AccessKey, region: String, endpoint: URL) {
        signer = RequestSigner(key: key, region: region)
        self.endpoint = Origin(endpoint)
    }

    // Inside of everything that adds a field, and once for each attempt, because a signature is valid for a short time.
    var positions: [ChainPosition] { [.inside(of: .exchange, "signature")] }
    var problem: String? { signer.key.secret.isEmpty ? "an access key needs a secret" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("SignatureV4", successors: [next]) { request, context in
            guard Origin(request.url) == endpoint else { return try await next.process(request, context: context) }
            var request = request
            // The hash of a file or a stream would be another pass over it; TLS protects its content.
            let isKnown = request.body.isEmpty || request.body.data != nil
            request.headers["x-amz-content-sha256"] =
                isKnown ? SHA256.hash(request.body.data ?? Data()).hex : RequestSigner.unsignedContent
            request.headers["x-amz-date"] = RequestSigner.time(parts.date())
            request.headers["Authorization"] = signer.authorization(
                method: request.method.rawValue,
                target: request.url.target,
                host: request.url.authority,
                headers: request.headers
            )
            return try await next.process(request, context: context)
        }
    }
}

/// The calculation, without a chain.
struct RequestSigner: Sendable {
    static let unsignedContent = "UNSIGNED-PAYLOAD"

    var key: AccessKey
    var region: String

    static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// The value of `Authorization`; `headers` have the time and the hash of the content in their `x-amz-` fields.
    ///
    /// Path and query of `target` are escaped as they are sent: all but letters, digits and `-._~`.
    func authorization(method: String, target: String, host: String, headers: Headers) -> String {
        let time = headers["x-amz-date"] ?? ""
        let amazon = headers.map { ($0.name.lowercased(), $0.value) }.filter { $0.0.hasPrefix("x-amz-") }
        let fields = [("host", host)] + amazon.sorted { $0.0 < $1.0 }
        let names = fields.map(\.0).joined(separator: ";")
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let items = (parts.count > 1 ? parts[1] : "").split(separator: "&").map {
            $0.contains("=") ? "\($0)" : "\($0)="
        }
        let canonical = [
            method, parts[0], items.sorted().joined(separator: "&"),
            fields.map { "\($0.0):\($0.1.trimmingCharacters(in: .whitespaces))\n" }.joined(),
            names, headers["x-amz-content-sha256"] ?? "",
        ].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time, scope, SHA256.hash(Data(canonical.utf8)).hex].joined(separator: "\n")
        let signing = scope.split(separator: "/").reduce(Data("AWS4\(key.secret)".utf8)) {
            SHA256.authenticate(Data($1.utf8), key: $0)
        }
        let signature = SHA256.authenticate(Data(text.utf8), key: signing).hex
        return "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
    }
}

extension URL {
    /// Path and query, as they are sent.
    var target: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?\($0)" } ?? "")
    }

    /// Host and port, as `Host` has them.
    var authority: String {
        let isUsual = port == nil || port == (scheme == "https" ? 443 : 80)
        return (host(percentEncoded: true) ?? "") + (isUsual ? "" : ":\(port ?? 0)")
    }
}
