public import CoreNetKitHTTP

extension TransportResponse {
    /// A media type that a response may have, or a whole family of them.
    public struct AcceptedType: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        private let type: String
        private let suffix: String?

        private init(_ type: String, suffix: String?) {
            self.type = Self.essence(of: type)
            self.suffix = suffix
        }

        /// Accepts a type, `text/csv`, all of one kind, `image/*`, or all, `*/*`; parameters such as a charset are ignored.
        public init(_ type: String) { self.init(type, suffix: nil) }

        /// Accepts a type, `text/csv`, all of one kind, `image/*`, or all, `*/*`.
        public init(stringLiteral value: String) { self.init(value) }

        /// `application/json`, and types that end in `+json` (RFC 6839, 3.1).
        public static let json = AcceptedType("application/json", suffix: "+json")
        /// `application/xml`, `text/xml`, and types that end in `+xml`.
        public static let xml = AcceptedType("application/xml", suffix: "+xml")
        /// Any text.
        public static let text = AcceptedType("text/*")

        /// The type in lower case.
        public var description: String { type }

        /// Whether a `Content-Type` is of this type.
        func takes(_ contentType: String) -> Bool {
            let essence = Self.essence(of: contentType)
            if type == "*/*" { return true }
            if let suffix, essence.hasSuffix(suffix) { return true }
            if type.hasSuffix("/*") { return essence.hasPrefix(type.dropLast()) }
            return essence == type
        }

        /// Type and subtype of a `Content-Type`, in lower case and without parameters, fit for a message.
        static func essence(of contentType: String) -> String {
            var scanner = FieldScanner(contentType)
            let essence = scanner.text(upTo: ";,").filter { $0.isASCII && !$0.isWhitespace }
            return essence.prefix(100).lowercased()
        }
    }
}
