import CoreNetKitSystem

/// Why bytes are not JSON, or why a value cannot be written as JSON, and at which position.
public struct JsonError: Error, Sendable, Hashable {
    /// The class of a failure.
    public enum Code: Sendable, Hashable {
        /// There are no bytes, or nothing but white space.
        case empty
        /// The bytes break the grammar of RFC 8259.
        case syntax
        /// Arrays and objects are nested more deeply than ``Json/depthLimit``.
        case tooDeep
        /// A value cannot be represented in JSON.
        case unsupported
    }

    /// A place in a text.
    public struct Position: Sendable, Hashable {
        /// The number of bytes before the place.
        public let offset: Int
        /// The line, from 1.
        public let line: Int
        /// The byte within the line, from 1.
        public let column: Int
    }

    /// The class of the failure.
    public let code: Code
    /// The place in the bytes; `nil` for a failure that does not concern bytes.
    public let position: Position?
    /// The place in the value, such as `filter.owner`; empty at the top.
    public internal(set) var path: String
    /// What was expected and what was found.
    public let message: String

    init(_ code: Code, at position: Position? = nil, path: String = "", _ message: String) {
        (self.code, self.position, self.path, self.message) = (code, position, path, message)
    }
}

extension JsonError: CustomStringConvertible {
    /// One line with the position and the reason.
    public var description: String { (path.isEmpty ? "" : path + ": ") + reason }

    package var reason: String {
        message + (position.map { " at line \($0.line), column \($0.column) (byte \($0.offset))" } ?? "")
    }
}

/// Why an entry could not be decoded from a body, in one line for people.
package struct DecodingFailure: Sendable, Hashable, CustomStringConvertible {
    /// The path in the body, such as `users[3].photos[0].ref`; empty at the top.
    package let path: String
    package let message: String
    package let typeName: String

    /// Reads the error of a decoder, of the scanner or of an entry's own `from(raw:)`; the body shows what was found.
    package init(_ error: any Error, type: Any.Type, body: Json? = nil) {
        typeName = Self.name(of: type)
        switch error {
        case let error as JsonError where error.code == .empty:
            path = error.path
            message = "the body is empty, expected \(typeName)"
        case let error as JsonError:
            path = error.path
            message = error.reason
        case let error as DecodingError:
            (path, message) = Self.details(of: error, entryName: Self.entryName(of: type), body: body)
        default:
            path = ""
            message = "\(error)"
        }
    }

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }

    private static func details(of error: DecodingError, entryName: String, body: Json?) -> (String, String) {
        switch error {
        case .typeMismatch(_, let context) where context.debugDescription.hasPrefix("expected "),
            .valueNotFound(_, let context) where context.debugDescription.hasPrefix("expected "):
            return (context.codingPath.jsonPath, context.debugDescription)
        case .typeMismatch(let type, let context):
            let found = found(in: context, body: body)
            return (context.codingPath.jsonPath, "expected \(expected(type))" + (found.map { ", found \($0)" } ?? ""))
        case .valueNotFound(let type, let context):
            return (context.codingPath.jsonPath, "expected \(expected(type)), found null")
        case .keyNotFound(let key, let context):
            return ((context.codingPath + [key]).jsonPath, "missing (\(entryName))")
        case .dataCorrupted(let context):
            return (context.codingPath.jsonPath, context.debugDescription.withoutText.withoutFullStop)
        @unknown default:
            return ("", "\(error)")
        }
    }

    private static func found(in context: DecodingError.Context, body: Json?) -> String? {
        // Foundation: "Expected to decode String but found number instead."
        let words = context.debugDescription.withoutFullStop.split(separator: " ").map(String.init)
        if let index = words.lastIndex(of: "found"), index + 1 < words.count {
            let kind = words[(index + 1)...].first { $0 != "a" && $0 != "an" && $0 != "the" }
            switch kind {
            case "dictionary": return "object"
            case let kind? where ["string", "number", "array", "object", "bool", "null"].contains(kind): return kind
            default: break
            }
        }
        guard let part = (try? body?.parsed())?.part(at: context.codingPath) else { return nil }
        return part.kind
    }

    /// What a type expects in JSON; containers by their JSON kind.
    static func expected(_ type: Any.Type) -> String {
        switch name(of: type) {
        case let name where name.hasPrefix("[String: "): "object"
        case let name where name.hasPrefix("["): "array"
        case let name: name
        }
    }
}

extension Json {
    fileprivate func part(at path: [any CodingKey]) -> Json? {
        path.reduce(self) { part, key in
            switch part?.tree {
            case .array: key.intValue.flatMap { part?[$0] }
            case .object: part?[key.stringValue]
            default: nil
            }
        }
    }
}

// MARK: - Names

extension DecodingFailure {
    /// A type as source code writes it: `[UserEntry]`, not `Array<UserEntry>`.
    static func name(of type: Any.Type) -> String {
        (type as? any SugaredType.Type)?.sugaredName ?? String(describing: type)
    }

    /// The entry inside arrays, optionals and dictionaries.
    private static func entryName(of type: Any.Type) -> String {
        if let container = type as? any SugaredType.Type { entryName(of: container.inner) } else { name(of: type) }
    }
}

private protocol SugaredType {
    static var sugaredName: String { get }
    static var inner: Any.Type { get }
}

extension Array: SugaredType {
    fileprivate static var sugaredName: String { "[\(DecodingFailure.name(of: Element.self))]" }
    fileprivate static var inner: Any.Type { Element.self }
}

extension Optional: SugaredType {
    fileprivate static var sugaredName: String { "\(DecodingFailure.name(of: Wrapped.self))?" }
    fileprivate static var inner: Any.Type { Wrapped.self }
}

extension Dictionary: SugaredType {
    fileprivate static var sugaredName: String {
        "[\(DecodingFailure.name(of: Key.self)): \(DecodingFailure.name(of: Value.self))]"
    }
    fileprivate static var inner: Any.Type { Value.self }
}

extension String {
    /// Without the body's text, which the standard library appends to this message if an enum has no such case.
    fileprivate var withoutText: String {
        let words = "from invalid String value"
        guard let range = firstRange(of: words) else { return self }
        return self[..<range.lowerBound] + "from a String that it does not know"
    }

    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
