import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// The parts of a request's URL as the server sees them.
struct SignedTarget {
    let isSecure: Bool
    /// Host and port as in the field `Host`.
    let authority: String
    /// Everything before the path, as it is written.
    let head: String
    /// The path as it is written; `/` if there is none.
    let path: String
    let query: String?

    init(_ text: String) throws(NetworkError) {
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        let socket = UnixSocket(text: text)
        guard let url = URL(string: text),
            let end = socket?.end ?? bytes.withUnsafeBufferPointer({ Origin.Parts($0)?.end })
        else { throw .unsigned("only an absolute http or https URL can be signed", .invalidURL) }
        let origin = Origin(url)
        isSecure = origin.isSecure
        let port = origin.port == (isSecure ? 443 : 80) ? "" : ":\(origin.port)"
        authority = socket == nil ? origin.host + port : "localhost"
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let path = bytes[end...].prefix { $0 != UInt8(ascii: "?") }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        query = path.endIndex == bytes.endIndex ? nil : String(decoding: bytes[(path.endIndex + 1)...], as: UTF8.self)
    }
}

extension NetworkError {
    /// A request that cannot be signed.
    static func unsigned(_ message: String, _ code: Code = .invalidRequest) -> NetworkError {
        NetworkError(code, message, node: "SignatureNode")
    }
}

extension RequestBody {
    /// The SHA-256 of the content; a file or a stream is read for it, and again for sending.
    func sha256() async throws -> ContentHash {
        guard isReplayable else {
            throw NetworkError.unsigned("the signature covers the content, and this stream can be read only once")
        }
        return .sha256(try await collect())
    }
}
