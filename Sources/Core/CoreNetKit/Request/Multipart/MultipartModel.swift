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
}

extension MultipartModel {
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
