import Foundation

/// Certificates in file formats: one in DER, or any number in PEM (RFC 7468, 5).
enum Certificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The certificates in DER; empty if there are none.
    static func der(of bytes: Data) -> [Data] {
        guard let text = String(data: bytes, encoding: .utf8), text.contains(begin) else {
            return bytes.isEmpty ? [] : [bytes]
        }
        return text.components(separatedBy: begin).dropFirst().compactMap { block in
            guard let end = block.range(of: end) else { return nil }
            return Data(base64Encoded: String(block[..<end.lowerBound].filter { !$0.isWhitespace }))
        }
    }

    /// Whether there is at least one certificate, and each has a public key at its place in X.509.
    static func isReadable(_ bytes: Data) -> Bool {
        let certificates = der(of: bytes)
        return !certificates.isEmpty && certificates.allSatisfy { publicKeyInfo(of: $0) != nil }
    }

    /// The complete `SubjectPublicKeyInfo` of a certificate in DER, which is hashed for a pin, whatever the kind of key.
    ///
    /// - Parameter certificate: One certificate in DER.
    /// - Returns: Its bytes; `nil` if the input is no certificate.
    /// - SeeAlso: [RFC 5280, 4.1](https://www.rfc-editor.org/rfc/rfc5280#section-4.1)
    static func publicKeyInfo(of certificate: Data) -> Data? {
        var outer = DERReader(certificate)
        guard let whole = outer.next(.sequence) else { return nil }
        var inner = DERReader(whole.content)
        guard let signed = inner.next(.sequence) else { return nil }
        var fields = DERReader(signed.content)
        fields.skip(.version)
        guard fields.next(.integer) != nil else { return nil }
        // Signature, issuer, validity, subject.
        for _ in 1...4 where fields.next(.sequence) == nil { return nil }
        return fields.next(.sequence)?.whole
    }
}

/// Reads DER elements one after another; an invalid length ends it.
private struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case sequence = 0x30
        case version = 0xA0
    }

    private var rest: Data

    init(_ bytes: Data) { rest = bytes }

    mutating func skip(_ tag: Tag) {
        if rest.first == tag.rawValue { _ = next(tag) }
    }

    /// The next element if it has this tag: all of its bytes, and its content.
    mutating func next(_ tag: Tag) -> (whole: Data, content: Data)? {
        guard rest.first == tag.rawValue, let (header, length) = size, length <= rest.count - header else { return nil }
        let whole = rest.prefix(header + length)
        rest = rest.dropFirst(header + length)
        return (whole, whole.dropFirst(header))
    }

    /// The length of tag and length, and the length of the content.
    private var size: (header: Int, length: Int)? {
        guard let first = rest.dropFirst().first else { return nil }
        guard first >= 0x80 else { return (2, Int(first)) }
        let count = Int(first & 0x7F)
        let bytes = rest.dropFirst(2).prefix(count)
        // Lengths in a certificate fit into 4 bytes; 0x80 alone is BER.
        guard (1...4).contains(count), bytes.count == count else { return nil }
        return (2 + count, bytes.reduce(0) { $0 << 8 | Int($1) })
    }
}
