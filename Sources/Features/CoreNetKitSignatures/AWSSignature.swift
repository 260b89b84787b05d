import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
public import CoreNetKitRecovery
import CoreNetKitSystem
import CoreNetKitWire

/// AWS Signature Version 4, for AWS and for servers compatible with S3.
///
/// All fields are signed, except those that proxies change. Path and query are sent in the escaping that is signed: a `+`
/// is a plus sign in a path, and a space in a query. The content is signed; for S3 over https, that of a file or stream is
/// not, so that it is read only once. An `X-Amz-Content-Sha256` field of the request is used as it is.
/// - SeeAlso: [Signature Version 4](https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html)
public struct AWSSignature: Sendable {
    /// An access key.
    public struct Credentials: Sendable, CustomReflectable {
        /// The public identifier of the key.
        public var keyID: String
        /// The secret of the key.
        public var secret: String
        /// The token of temporary credentials.
        public var sessionToken: String?

        /// Creates an access key.
        public init(keyID: String, secret: String, sessionToken: String? = nil) {
            (self.keyID, self.secret, self.sessionToken) = (keyID, secret, sessionToken)
        }

        /// The identifier only.
        public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID], displayStyle: .struct) }
    }

    /// A checksum that S3 compares with the content and keeps with the object.
    public enum Checksum: String, Sendable, CaseIterable {
        case crc32, crc32c, sha256

        var field: String { "x-amz-checksum-\(rawValue)" }
        var hash: any RunningHash {
            if self == .sha256 { return SHA256() }
            return self == .crc32 ? CRC32() as any RunningHash : CRC32C()
        }
    }

    /// The checksum that S3 gets after a file or stream, which is then read only once (`aws-chunked`); `nil` for none.
    ///
    /// Over https the chunks are not signed. A stream needs a length. Content in memory and other services do without.
    public var trailingChecksum: Checksum?

    let origins: TokenRefresher.Origins
    let service: String
    let region: String
    private let credentials: @Sendable () async throws -> Credentials

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - service: The name of the service in signatures, such as `s3` or `execute-api`.
    ///   - region: The region, such as `eu-central-1`.
    ///   - origins: The servers whose requests are signed; others get no signature.
    ///   - credentials: Returns the current access key, for each attempt; its error is the cause of the call's `nodeFailed`.
    public init(
        service: String,
        region: String,
        origins: TokenRefresher.Origins,
        credentials: @escaping @Sendable () async throws -> Credentials
    ) {
        (self.service, self.region, self.origins, self.credentials) = (service, region, origins, credentials)
    }

    /// Signs a URL, which need not belong to the origins, so that anyone may use it for a while without credentials.
    ///
    /// It is valid for the method, from the date on, for 1 second to 7 days. Throws `NetworkError` with code `invalidURL` or
    /// `invalidRequest`, or an error of the credentials.
    public func presignedURL(
        _ url: URL,
        method: HTTPMethod = .get,
        lifetime: Duration,
        at date: Date = Date()
    ) async throws -> URL {
        if let problem { throw NetworkError.cannotSign(problem) }
        guard (1...604_800).contains(lifetime.wholeSeconds) else {
            throw NetworkError.cannotSign("a presigned URL is valid for 1 second to 7 days, not for \(lifetime)")
        }
        let (credentials, time) = (try await credentials(), try Self.time(of: date))
        var canonical = try AWSCanonicalRequest(TransportRequest(method: method, url: url), at: time, for: self)
        if let token = credentials.sessionToken { canonical.add(Self.tokenField, token) }
        canonical.presign(isS3 ? "UNSIGNED-PAYLOAD" : ContentHash().hex, with: credentials, for: lifetime.wholeSeconds)
        guard let signed = canonical.url else { throw NetworkError.cannotSign("the URL cannot be signed", .invalidURL) }
        return signed
    }

    private static let tokenField = "X-Amz-Security-Token"
    private static let contentField = "X-Amz-Content-Sha256"

    /// S3 takes paths as they are, and has a field for the digest of the content.
    var isS3: Bool { ["s3", "s3-object-lambda", "s3-outposts"].contains(service) }

    private static func time(of date: Date) throws(NetworkError) -> String {
        guard let time = CivilTime(date) else { throw .cannotSign("the year of the signature is not one of 1 to 9999") }
        return time.iso8601.filter { $0 != "-" && $0 != ":" }
    }
}

extension AWSSignature: RequestSigner {
    var problem: String? {
        let isValid = FieldCheck.isToken(service) && FieldCheck.isToken(region)
        return isValid ? nil : "the signature's service '\(service)' or region '\(region)' is not a name such as s3"
    }

    func signed(_ request: TransportRequest, at date: Date) async throws -> TransportRequest {
        guard !request.headers.contains("Authorization") else { return request }
        let (credentials, time) = (try await credentials(), try Self.time(of: date))
        var request = request
        let chunked = try chunk(&request)
        let content = try await digest(of: request)
        if isS3 { request.headers[Self.contentField] = content }
        request.headers["X-Amz-Date"] = time
        if let token = credentials.sessionToken { request.headers[Self.tokenField] = token }
        let canonical = try AWSCanonicalRequest(request, at: time, for: self)
        let signature = canonical.signature(of: content, with: credentials.secret)
        request.headers["Authorization"] =
            "\(AWSCanonicalRequest.algorithm) Credential=\(credentials.keyID)/\(canonical.scope), "
            + "SignedHeaders=\(canonical.names), Signature=\(signature)"
        if let chunked {
            let (key, scope) = (canonical.key(of: credentials.secret), "\(time)\n\(canonical.scope)")
            request.body = chunked(.init(scope: scope, seed: signature) { ContentHash.hmac($0.utf8, key: key).hex })
        }
        // Servers read other spellings in different ways.
        if let url = canonical.url { request.url = url }
        return request
    }

    /// Announces a checksum after the content; the result makes the body, with signatures that follow the request's.
    private func chunk(_ request: inout TransportRequest) throws -> ((AWSChunkEncoder.Signatures) -> RequestBody)? {
        guard let trailingChecksum, isS3, !request.isBodyInMemory, !request.headers.contains(Self.contentField)
        else { return nil }
        let content = try request.body.streamed()
        guard let length = content.streamLength, 0...1 << 50 ~= length else {
            throw NetworkError.cannotSign("a checksum after a stream needs the length of the stream: set it")
        }
        let isSecure = Origin(request.url).isSecure
        let (field, hash) = (trailingChecksum.field, trailingChecksum.hash)
        request.headers[Self.contentField] = "STREAMING-\(isSecure ? "UNSIGNED" : "AWS4-HMAC-SHA256")-PAYLOAD-TRAILER"
        request.headers["Content-Encoding"] =
            (["aws-chunked"] + request.headers[values: "Content-Encoding"]).joined(separator: ",")
        request.headers["X-Amz-Decoded-Content-Length"] = "\(length)"
        request.headers["X-Amz-Trailer"] = field
        return { AWSChunkEncoder(field, hash, isSecure ? nil : $0).encoding(content, of: length) }
    }

    private func digest(of request: TransportRequest) async throws -> String {
        if let known = request.headers[Self.contentField] { return known }
        if isS3, Origin(request.url).isSecure, !request.isBodyInMemory { return "UNSIGNED-PAYLOAD" }
        return try await request.contentHash().hex
    }
}
