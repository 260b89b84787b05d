/// Parses the grammar that field values share (RFC 9110, 5.6).
package struct FieldScanner {
    private let bytes: [UInt8]
    package private(set) var position = 0

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position >= bytes.count }
    package var next: UInt8? { isAtEnd ? nil : bytes[position] }

    package mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

    package mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard let next, next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    package mutating func text(upTo stops: String) -> String { text { !stops.utf8.contains($0) } }

    package mutating func token() -> String? {
        let token = text(while: FieldCheck.isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// A number of at most 18 digits; `nil` if there is none, or if it is longer.
    package mutating func number() -> Int64? {
        let digits = text { 0x30...0x39 ~= $0 }
        return digits.utf8.count <= 18 ? Int64(digits) : nil
    }

    /// A length: a text that is nothing but such a number.
    package static func length(_ text: some StringProtocol) -> Int64? {
        var scanner = FieldScanner(text)
        let number = scanner.number()
        return scanner.isAtEnd ? number : nil
    }

    /// A quoted string without quotes and escapes; `nil` if it is not closed.
    ///
    /// A structured one is ASCII, and only quotes and backslashes are escaped (RFC 9651, 3.3.3).
    package mutating func quoted(isStructured: Bool = false) -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while var byte = next, !isStructured || 0x20...0x7E ~= byte {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = next, !isStructured || "\"\\".utf8.contains(escaped) else { return nil }
                position += 1
                byte = escaped
            }
            content.append(byte)
        }
        return nil
    }

    /// Parameters, `; name=value; name="quoted"; name`, that a comma ends in a list; `nil` when one is malformed.
    package mutating func parameters(isList: Bool) -> [FieldParameter]? {
        var parameters: [FieldParameter] = []
        let stops = isList ? ";," : ";"
        while true {
            skipSpace()
            guard take(";") else { return parameters }
            skipSpace()
            let name = text(upTo: "= \t" + stops).lowercased()
            skipSpace()
            guard take("=") else {
                if !name.isEmpty { parameters.append(FieldParameter(name: name, value: "")) }
                continue
            }
            skipSpace()
            let value = next == UInt8(ascii: "\"") ? quoted() : text(upTo: " \t" + stops)
            guard !name.isEmpty, let value else { return nil }
            parameters.append(FieldParameter(name: name, value: value))
        }
    }

    /// The members of a list in all lines of a field, without surrounding white space and without empty ones; `nil` if
    /// a quoted string is not closed, because the text after it cannot be read.
    package static func members(of lines: [String]) -> [String]? {
        var members: [String] = []
        for line in lines {
            var scanner = FieldScanner(line)
            while !scanner.isAtEnd {
                scanner.skipSpace()
                let start = scanner.position
                var end = start
                while let byte = scanner.next, byte != UInt8(ascii: ",") {
                    if byte != UInt8(ascii: "\"") {
                        scanner.position += 1
                    } else if scanner.quoted() == nil {
                        return nil
                    }
                    if byte != 0x20, byte != 0x09 { end = scanner.position }
                }
                if start < end { members.append(String(decoding: scanner.bytes[start..<end], as: UTF8.self)) }
                _ = scanner.take(",")
            }
        }
        return members
    }

    private mutating func skip(while isPart: (UInt8) -> Bool) {
        while let byte = next, isPart(byte) { position += 1 }
    }

    private mutating func text(while isPart: (UInt8) -> Bool) -> String {
        let start = position
        skip(while: isPart)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }
}

package struct FieldParameter: Sendable, Hashable {
    /// The name in lower case.
    package let name: String
    /// The value without quotes; empty if there is none.
    package let value: String
}

/// One link of a `Link` field (RFC 8288, 3).
package struct FieldLink: Sendable, Hashable {
    package let target: String
    package let parameters: [FieldParameter]
    /// The bytes of the target in the field.
    fileprivate let range: Range<Int>
}

extension FieldScanner {
    /// The links of a `Link` field, up to the first that cannot be read, and where reading failed.
    package static func links(in field: String) -> (links: [FieldLink], fault: Int?) {
        var (scanner, links) = (FieldScanner(field), [FieldLink]())
        while true {
            repeat { scanner.skipSpace() } while scanner.take(",")
            if scanner.isAtEnd { return (links, nil) }
            guard scanner.take("<") else { return (links, scanner.position) }
            let start = scanner.position
            let target = scanner.text(upTo: ">")
            let range = start..<scanner.position
            guard scanner.take(">"), let parameters = scanner.parameters(isList: true),
                scanner.isAtEnd || scanner.take(",")
            else { return (links, scanner.position) }
            links.append(FieldLink(target: target, parameters: parameters, range: range))
        }
    }

    /// A `Link` field with other targets; links that cannot be read are unchanged.
    package static func replacingTargets(of field: String, by other: (String) -> String?) -> String {
        var (bytes, offset) = (Array(field.utf8), 0)
        for link in links(in: field).links {
            guard let new = other(link.target)?.utf8 else { continue }
            bytes.replaceSubrange(link.range.lowerBound + offset..<link.range.upperBound + offset, with: new)
            offset += new.count - link.range.count
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

package struct MediaTypeField: Sendable, Hashable {
    /// Type and subtype in lower case, such as `text/event-stream`.
    package let essence: String
    private let parameters: [FieldParameter]

    /// Parses a field value; `nil` if it is no media type.
    package init?(parsing value: String) {
        var scanner = FieldScanner(value)
        scanner.skipSpace()
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        essence = "\(type)/\(subtype)".lowercased()
        // A malformed parameter does not change the type.
        parameters = scanner.parameters(isList: false) ?? []
    }

    /// The first parameter of that name, which is in lower case.
    package subscript(parameter parameter: String) -> String? {
        parameters.first { $0.name == parameter }?.value
    }
}

/// The range of a representation in a response (RFC 9110, 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The positions of its bytes; never empty, and inside the representation.
    package let positions: Range<Int64>
    /// The length of the representation; `nil` if the server does not know it.
    package let total: Int64?

    package init(_ positions: Range<Int64>, of total: Int64?) { (self.positions, self.total) = (positions, total) }

    /// Parses `bytes 0-4/10`, `bytes 0-4/*`; `nil` for other units and several lines.
    package init?(_ headers: Headers) {
        guard var scanner = Self.scanner(headers), let first = scanner.number(), scanner.take("-"),
            let last = scanner.number(), first <= last, scanner.take("/")
        else { return nil }
        self.init(first..<(last + 1), of: scanner.number())
        guard total.map({ last < $0 }) ?? scanner.take("*"), scanner.isAtEnd else { return nil }
    }

    /// The length of the representation if no requested byte is inside it: `bytes */10`.
    package static func totalOfNone(_ headers: Headers) -> Int64? {
        guard var scanner = scanner(headers), scanner.take("*"), scanner.take("/") else { return nil }
        let total = scanner.number()
        return scanner.isAtEnd ? total : nil
    }

    private static func scanner(_ headers: Headers) -> FieldScanner? {
        let lines = headers[values: "Content-Range"]
        guard lines.count == 1 else { return nil }
        var scanner = FieldScanner(lines[0])
        guard scanner.text(upTo: " ").lowercased() == "bytes" else { return nil }
        scanner.skipSpace()
        return scanner
    }

    package var isWhole: Bool { positions.lowerBound == 0 && positions.upperBound == total }

    package var text: String {
        "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }

    /// The positions of both, if there is no gap between them.
    package func joined(with other: ContentRange) -> ContentRange? {
        guard total == other.total, positions.lowerBound <= other.positions.upperBound,
            other.positions.lowerBound <= positions.upperBound
        else { return nil }
        let start = min(positions.lowerBound, other.positions.lowerBound)
        return ContentRange(start..<max(positions.upperBound, other.positions.upperBound), of: total)
    }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// The sum, saturated at the bounds of its type: for numbers from the wire, a file or a configuration.
    @inlinable package func saturatingAdd(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// The product, saturated at the bounds of its type: for numbers from the wire, a file or a configuration.
    @inlinable package func saturatingMultiply(_ other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
