#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A JSON text that was read once: its bytes and a flat list of what stands where in them.
///
/// The first token is the whole value. Texts and numbers stay bytes until somebody asks for them.
package final class JsonDocument: @unchecked Sendable {
    // Sendable: nothing is written after `init`.

    /// What stands above the first token, for a document that was made up for a member that is not there.
    package let origin: [any CodingKey]

    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private let tokens: UnsafePointer<JsonToken>
    private let block: UnsafeMutableRawPointer

    /// Reads a text.
    ///
    /// The bytes are copied, because values may outlive the reading; it takes a fraction of the time of reading them.
    package init(_ source: UnsafeBufferPointer<UInt8>, origin: [any CodingKey] = []) throws(JsonError) {
        var scanner = try JsonScanner(source)
        do throws(JsonError) { try scanner.scan() } catch {
            scanner.block.deallocate()
            throw error
        }
        self.origin = origin
        block = scanner.block
        bytes = UnsafePointer(scanner.bytes)
        count = source.count
        tokens = UnsafePointer(scanner.tokens)
    }

    deinit {
        block.deallocate()
    }

    package static func reading(_ data: Data) throws(JsonError) -> JsonDocument {
        try data.withUnsafeBytes { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            return Result { () throws(JsonError) in try JsonDocument(bytes) }
        }.get()
    }

    /// Stands for a member that is not there where one asks for the decoder of it.
    package static func null(at path: [any CodingKey]) -> JsonDocument? {
        var text = "null"
        return text.withUTF8 { try? JsonDocument($0, origin: path) }
    }

    @inline(__always)
    package subscript(index: UInt32) -> JsonToken { tokens[Int(index)] }

    /// The token behind a value and all that it contains.
    @inline(__always)
    package func end(of index: UInt32) -> UInt32 {
        let token = self[index]
        return token.isContainer ? token.start : index + 1
    }

    /// The bytes of a text or number as they were written, without quotes.
    @inline(__always)
    package func bytes(of index: UInt32) -> UnsafeBufferPointer<UInt8> {
        let token = self[index]
        return UnsafeBufferPointer(start: bytes + Int(token.start), count: Int(token.size))
    }

    /// The way from one value to another inside of it.
    package func path(to index: UInt32, from base: UInt32) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var index = index
        while index != base, index != 0 {
            let token = self[index]
            let isMember = self[token.parent].kind == .object
            path.append(isMember ? AnyKey(stringValue: string(at: index - 1)) : AnyKey(intValue: Int(token.ordinal)))
            index = token.parent
        }
        return origin + path.reversed()
    }

    /// What a value is, for messages.
    package func kind(of index: UInt32) -> String {
        switch self[index].kind {
        case .null: "null"
        case .no, .yes: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
