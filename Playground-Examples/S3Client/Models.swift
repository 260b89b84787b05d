import CoreNetKit
import Foundation

/// A bucket and the key of an object in it, whose `/` separate segments of the path.
struct ObjectID: Sendable {
    var bucket: String
    var key: String

    /// The path of the object without its first `/`.
    var escaped: String {
        let segments = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return ([bucket] + segments).map(\.escaped).joined(separator: "/")
    }
}

extension Client.Path.StringInterpolation {
    mutating func appendInterpolation(_ object: ObjectID) {
        appendInterpolation(object.bucket)
        appendLiteral("/")
        appendInterpolation(path: object.key)
    }
}

extension String {
    /// With escapes for everything but letters, digits and `-._~`, as signatures have it.
    var escaped: String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: plain) ?? self
    }
}

/// A model that is read from XML and needs no other form.
protocol XMLModel: RawDecodable, DTODecodable, Sendable where Raw == XML, DTO == Self {
    init(_ xml: XML) throws
}

extension XMLModel {
    static func from(raw: XML) throws -> Self { try Self(raw) }
}

struct BucketList: XMLModel {
    let names: [String]

    init(_ xml: XML) throws { names = try xml["Buckets"]?.all("Bucket").map { try $0.text("Name") } ?? [] }
}

struct Listing: XMLModel {
    struct Object: Sendable {
        let key: String
        let size: Int
    }

    let objects: [Object]
    let next: String?

    init(_ xml: XML) throws {
        objects = try xml.all("Contents").map { Object(key: try $0.text("Key"), size: Int(try $0.text("Size")) ?? 0) }
        next = xml["NextContinuationToken"]?.text
    }
}

struct ObjectInfo: Sendable {
    let size: Int
    let type: String
    let tag: String

    init(_ headers: Headers) {
        size = headers["Content-Length"].flatMap { Int($0) } ?? 0
        (type, tag) = (headers["Content-Type"] ?? "", headers["ETag"] ?? "")
    }
}

struct CopiedObject: XMLModel {
    let tag: String

    init(_ xml: XML) throws { tag = try xml.text("ETag") }
}

struct StartedUpload: XMLModel {
    let id: String

    init(_ xml: XML) throws { id = try xml.text("UploadId") }
}

/// The list that completes an upload.
struct SentParts: RawEncodable, DTOEncodable, Sendable {
    typealias Raw = XML
    typealias DTO = SentParts

    struct Part: Sendable {
        let number: Int64
        let tag: String
    }

    let parts: [Part]

    func toRaw() -> XML {
        XML(
            "CompleteMultipartUpload",
            parts.map { part in
                XML("Part", [XML("PartNumber", "\(part.number)"), XML("ETag", part.tag)])
            }
        )
    }
}

struct CompletedUpload: XMLModel {
    let tag: String

    init(_ xml: XML) throws { tag = try xml.text("ETag") }
}

/// Why S3 refused a request.
struct S3Error: Error {
    let code: String
    let message: String

    init?(_ xml: XML) {
        guard xml.name == "Error", let code = xml["Code"]?.text else { return nil }
        (self.code, message) = (code, xml["Message"]?.text ?? "")
    }
}

/// The parts of a file, which are read while they are sent.
struct FileParts: Sendable {
    let file: URL
    let size: Int64
    let length: Int64

    init(of file: URL, size: Int64) throws {
        length = Int64(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0)
        (self.file, self.size) = (file, size)
    }

    var count: Int64 { max(1, (length + size - 1) / size) }

    /// The content of a part; the first one has the number 1.
    func part(_ number: Int64) -> RequestBody {
        .file(file, range: (number - 1) * size..<min(number * size, length))
    }
}
