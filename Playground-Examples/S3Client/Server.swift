import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSignatures
import Foundation
import Synchronization

/// A server on this machine that speaks S3's interface, as far as the example needs it, and checks each signature.
final class Server: Sendable {
    static let key = AWSSignature.Credentials(keyID: "AKIAEXAMPLE", secret: "example/secret+key")
    static let region = "eu-central-1"

    let loopback: LoopbackServer
    var endpoint: URL { loopback.url }
    private let store: Store

    init() throws {
        let store = Store()
        self.store = store
        loopback = try LoopbackServer { try store.respond(to: $0) }
    }

    /// Breaks the connection of each download after so many bytes; `nil` stops that.
    func cutDownloads(after bytes: Int?) { store.values.withLock { $0.cut = bytes } }

    /// Whether uploads in parts fail in the end, with status 200.
    func failCompletions(_ fails: Bool) { store.values.withLock { $0.failsToComplete = fails } }

    /// Uploads in parts that were neither completed nor removed.
    var openUploads: Int { store.values.withLock { $0.uploads.count } }

    func stop() { loopback.stop() }
}

private final class Store: Sendable {
    struct Object {
        var content: Data
        var type: String
        var tag: String
    }

    struct Values {
        var buckets: [String: [String: Object]] = [:]
        var uploads: [String: [Int: Object]] = [:]
        var cut: Int?
        var failsToComplete = false
    }

    struct Refusal: Error {
        var status: Int
        var code: String
        var message: String
    }

    let values = Mutex(Values())

    func respond(to request: LoopbackRequest) throws -> LoopbackResponse {
        do {
            try checkSignature(of: request)
            let path = request.path.dropFirst().split(separator: "/", maxSplits: 1).map(String.init)
            let key = path.count > 1 ? path[1].removingPercentEncoding ?? "" : nil
            return try values.withLock { values in
                guard let bucket = path.first else { return Self.buckets(values) }
                guard let key else { return try Self.respond(to: request, bucket: bucket, &values) }
                guard values.buckets[bucket] != nil else {
                    throw Refusal(status: 404, code: "NoSuchBucket", message: "The specified bucket does not exist")
                }
                return try Self.respond(to: request, bucket: bucket, key: key, &values)
            }
        } catch let refusal as Refusal {
            let error = XML("Error", [XML("Code", refusal.code), XML("Message", refusal.message)])
            return request.method == .head ? .status(refusal.status) : Self.response(error, status: refusal.status)
        }
    }

    private func checkSignature(of request: LoopbackRequest) throws {
        guard ServerSignature(key: Server.key, region: Server.region).accepts(request) else {
            let message = "The request signature we calculated does not match the signature you provided."
            throw Refusal(status: 403, code: "SignatureDoesNotMatch", message: message)
        }
        let hash = request.headers["x-amz-content-sha256"]
        guard hash == "UNSIGNED-PAYLOAD" || hash == ContentHash.sha256(request.body).hex else {
            throw Refusal(status: 400, code: "XAmzContentSHA256Mismatch", message: "The content has another hash.")
        }
    }

    private static func response(_ xml: XML, status: Int = 200) -> LoopbackResponse {
        let text = #"<?xml version="1.0" encoding="UTF-8"?>\#n"# + xml.source
        return LoopbackResponse(status: status, headers: ["Content-Type": "application/xml"], body: .text(text))
    }
}

// MARK: - Buckets

extension Store {
    private static func buckets(_ values: Values) -> LoopbackResponse {
        let buckets = values.buckets.keys.sorted().map { XML("Bucket", [XML("Name", $0)]) }
        return response(XML("ListAllMyBucketsResult", [XML("Buckets", buckets)]))
    }

    private static func respond(
        to request: LoopbackRequest,
        bucket: String,
        _ values: inout Values
    ) throws -> LoopbackResponse {
        if request.method == .put {
            values.buckets[bucket] = [:]
            return .ok
        }
        guard let objects = values.buckets[bucket] else {
            throw Refusal(status: 404, code: "NoSuchBucket", message: "The specified bucket does not exist")
        }
        if request.method == .delete {
            guard objects.isEmpty else {
                throw Refusal(status: 409, code: "BucketNotEmpty", message: "The bucket is not empty")
            }
            values.buckets[bucket] = nil
            return .status(204)
        }
        let start = request.query("continuation-token") ?? ""
        let keys = objects.keys.sorted().filter { $0.hasPrefix(request.query("prefix") ?? "") && $0 > start }
        let page = keys.prefix(Int(request.query("max-keys") ?? "") ?? 1000)
        var elements = page.map { key in
            XML("Contents", [XML("Key", key), XML("Size", "\(objects[key]?.content.count ?? 0)")])
        }
        if page.endIndex < keys.endIndex { elements.append(XML("NextContinuationToken", page.last ?? "")) }
        return response(XML("ListBucketResult", elements))
    }
}

// MARK: - Objects

extension Store {
    private static func respond(
        to request: LoopbackRequest,
        bucket: String,
        key: String,
        _ values: inout Values
    ) throws -> LoopbackResponse {
        if request.query("uploads") != nil || request.query("uploadId") != nil {
            return try upload(request, bucket: bucket, key: key, &values)
        }
        if request.method == .put {
            var object = Self.object(of: request)
            if let source = request.headers["x-amz-copy-source"] {
                let path = source.split(separator: "/", maxSplits: 1).map { $0.removingPercentEncoding ?? "" }
                object = try found(values.buckets[path[0]]?[path[1]])
            }
            values.buckets[bucket]?[key] = object
            let isCopy = request.headers.contains("x-amz-copy-source")
            return isCopy
                ? response(XML("CopyObjectResult", [XML("ETag", object.tag)])) : .ok.header("ETag", object.tag)
        }
        if request.method == .delete {
            values.buckets[bucket]?[key] = nil
            return .status(204)
        }
        return part(of: try found(values.buckets[bucket]?[key]), for: request, cut: values.cut)
    }

    private static func object(of request: LoopbackRequest) -> Object {
        let tag = "\"\(ContentHash.sha256(request.body).hex.prefix(32))\""
        return Object(content: request.body, type: request.headers["Content-Type"] ?? "", tag: tag)
    }

    private static func found(_ object: Object?) throws -> Object {
        guard let object else {
            throw Refusal(status: 404, code: "NoSuchKey", message: "The specified key does not exist.")
        }
        return object
    }

    /// The object, or the range that was requested.
    private static func part(of object: Object, for request: LoopbackRequest, cut: Int?) -> LoopbackResponse {
        let size = object.content.count
        var bytes = 0..<size
        let isSame = request.headers["If-Range"].map { $0 == object.tag } ?? true
        if isSame, let range = request.headers["Range"]?.dropFirst("bytes=".count) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            bytes = (ends[0] ?? 0)..<min(size, (ends[1] ?? size) + 1)
        }
        var response = LoopbackResponse.data(object.content.subdata(in: bytes), type: object.type)
            .header("ETag", object.tag)
        if bytes.count < size {
            response.status = 206
            response = response.header("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(size)")
        }
        return cut.map { response.fault(.close(.inBody($0))) } ?? response
    }

    private static func upload(
        _ request: LoopbackRequest,
        bucket: String,
        key: String,
        _ values: inout Values
    ) throws -> LoopbackResponse {
        guard let id = request.query("uploadId") else {
            let id = "upload-\(values.uploads.count + 1)"
            values.uploads[id] = [:]
            return response(XML("InitiateMultipartUploadResult", [XML("UploadId", id)]))
        }
        guard let parts = values.uploads[id] else {
            throw Refusal(status: 404, code: "NoSuchUpload", message: "The specified upload does not exist.")
        }
        switch request.method {
        case .put:
            let part = object(of: request)
            values.uploads[id]?[Int(request.query("partNumber") ?? "") ?? 0] = part
            return .ok.header("ETag", part.tag)
        case .post:
            if values.failsToComplete {
                return response(XML("Error", [XML("Code", "InternalError"), XML("Message", "Please try again.")]))
            }
            let list = try XML(parsing: request.body).all("Part")
            let content = try list.reduce(into: Data()) { content, element in
                let part = parts[Int(try element.text("PartNumber")) ?? 0]
                guard let part, part.tag == (try element.text("ETag")) else {
                    throw Refusal(status: 400, code: "InvalidPart", message: "A part could not be found.")
                }
                content += part.content
            }
            values.uploads[id] = nil
            let tag = "\"\(ContentHash.sha256(content).hex.prefix(32))-\(list.count)\""
            values.buckets[bucket]?[key] = Object(content: content, type: "application/octet-stream", tag: tag)
            return response(XML("CompleteMultipartUploadResult", [XML("ETag", tag)]))
        default:
            values.uploads[id] = nil
            return .status(204)
        }
    }
}
