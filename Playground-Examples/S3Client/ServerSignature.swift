import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSignatures
import Foundation

/// The signature that a request should have: the calculation of the server, which shares only the hashes with the client.
struct ServerSignature {
    let key: AWSSignature.Credentials
    let region: String

    /// Whether the signature of a request is that of the key, and covers what it has to.
    func accepts(_ request: LoopbackRequest) -> Bool {
        guard let field = request.headers["Authorization"], let time = request.headers["X-Amz-Date"],
            let names = field.firstMatch(of: /SignedHeaders=([^,]+)/)?.1,
            names.split(separator: ";").contains("host")
        else { return false }
        let fields = names.split(separator: ";").map { name in
            "\(name):\(request.headers[values: String(name)].joined(separator: ","))\n"
        }
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        let items = (parts.count > 1 ? parts[1] : "").split(separator: "&").map {
            $0.contains("=") ? "\($0)" : "\($0)="
        }
        let canonical = [
            request.method.rawValue, parts[0], items.sorted().joined(separator: "&"), fields.joined(), String(names),
            request.headers["X-Amz-Content-Sha256"] ?? "",
        ].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let hash = ContentHash.sha256(canonical.utf8).hex
        let signing = scope.split(separator: "/").reduce(Array("AWS4\(key.secret)".utf8)) {
            ContentHash.hmac($1.utf8, key: $0).bytes
        }
        let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
        return field.contains("Credential=\(key.keyID)/\(scope),")
            && field.hasSuffix("Signature=\(ContentHash.hmac(text.utf8, key: signing).hex)")
    }
}
