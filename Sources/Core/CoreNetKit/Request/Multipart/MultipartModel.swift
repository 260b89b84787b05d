public import CoreNetKitEssentials

/// A form with files (`multipart/form-data`, RFC 7578).
///
/// ```swift
/// MultipartModel([
///     .field("title", "Holidays"),
///     .file("photos", .url(url: first)),
///     .file("photos", .url(url: second)),
/// ])
/// ```
///
/// Files given by URL are read while the request is sent, and never loaded completely into memory.
public struct MultipartModel: Sendable, Hashable {
    /// The parts in their order on the wire; a name may repeat.
    public var parts: [Part]

    /// Creates a form from its parts.
    public init(_ parts: [Part] = []) { self.parts = parts }

    /// Creates a form from fields and files by name, both in the order of their names, the fields first.
    public init(payloadModel: [String: Data] = [:], files: [String: MultipartFileProvider] = [:]) {
        parts =
            payloadModel.sorted { $0.key < $1.key }.map { .field($0.key, $0.value) }
            + files.sorted { $0.key < $1.key }.map { .file($0.key, $0.value) }
    }

    /// One part of a ``MultipartModel``: a field or a file.
    public struct Part: Sendable, Hashable {
        package enum Content: Sendable, Hashable {
            case field(Data, mimetype: String?)
            case file(MultipartFileProvider)
        }

        /// The name of the form's field.
        public let name: String
        package let content: Content

        /// A field with text, sent as UTF-8.
        public static func field(_ name: String, _ text: String) -> Part {
            .field(name, Data(text.utf8))
        }

        /// A field with bytes, with a `Content-Type` if `mimetype` is given.
        public static func field(_ name: String, _ data: Data, mimetype: String? = nil) -> Part {
            .init(name: name, content: .field(data, mimetype: mimetype))
        }

        /// A file.
        public static func file(_ name: String, _ file: MultipartFileProvider) -> Part {
            .init(name: name, content: .file(file))
        }
    }
}

/// A multipart form is its own DTO and its own raw form.
extension MultipartModel: RequestPayload, RawEncodable, DTOEncodable {
    /// The form itself.
    public typealias Raw = MultipartModel

    /// The form itself.
    public typealias DTO = MultipartModel

    /// Returns the form.
    public func toRaw() -> MultipartModel { self }

    /// A multipart body under a fresh boundary, whatever the encoding and the strategies.
    ///
    /// - Throws: ``RequestEncodingError`` if a file is missing.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
        let (contentType, body) = try encoded()
        return EncodedPayload(body: body, contentType: contentType)
    }
}

/// The source of a file in a ``MultipartModel``.
public enum MultipartFileProvider: Sendable, Hashable {
    /// Bytes in memory.
    case data(data: Data, filename: String, mimetype: String)
    /// A file on disk, under its own name, with a type derived from its extension.
    case url(url: URL)
    /// A file on disk, under another name and type.
    case customWithUrl(url: URL, filename: String, mimetype: String)

    /// Media types by file extension.
    static let mediaTypes = [
        "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif",
        "htm": "text/html", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v",
        "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "pdf": "application/pdf", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "zip": "application/zip",
    ]
}
