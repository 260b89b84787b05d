import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// Which server certificates are accepted: authorities for all hosts, pins for all or for one host.
struct TrustRule: Sendable {
    /// Pins, one of which must match the server.
    struct Pins: Sendable {
        let keys: Set<Data>
        let certificates: Set<Data>

        init(_ keys: [String], _ certificates: [Data]) {
            self.keys = Set(keys.compactMap { Data(base64Encoded: $0) })
            self.certificates = Set(certificates.flatMap(Certificates.der))
        }

        var isEmpty: Bool { keys.isEmpty && certificates.isEmpty }
    }

    /// In DER; `nil` for the system's.
    let authorities: [Data]?
    private let pins: Pins
    private let hosts: [String: Pins]
    private let requiresPins: Bool

    init(_ configuration: URLSessionTransport.Configuration) {
        authorities = configuration.tls.readAuthorities?.flatMap(Certificates.der)
        requiresPins = configuration.tls.requiresPins
        pins = Pins(configuration.tls.pinnedKeys, configuration.tls.pinnedCertificates)
        hosts = configuration.hosts.mapValues { Pins($0.pinnedKeys, $0.pinnedCertificates) }.filter {
            !$0.value.isEmpty
        }
    }

    /// Whether a host's certificate needs a check besides the system's.
    func applies(to host: String) -> Bool { authorities != nil || requiresPins || !pins(of: host).isEmpty }

    /// Whether the server's certificate, in DER, matches a pin of the requested name; without pins any does.
    func accepts(_ certificate: Data?, of host: String) -> Bool {
        let pins = pins(of: host)
        guard !pins.isEmpty else { return !requiresPins }
        guard let certificate else { return false }
        if pins.certificates.contains(certificate) { return true }
        guard let key = Certificates.publicKeyInfo(of: certificate) else { return false }
        return pins.keys.contains(Data(SHA256.digest(key)))
    }

    private func pins(of host: String) -> Pins { hosts[HostName.lookedUp(host)] ?? pins }
}

/// Certificates in file formats: one in DER, or any number in PEM (RFC 7468, 5).
enum Certificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

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

    /// The complete `SubjectPublicKeyInfo` of a certificate in DER, which is hashed for a pin; `nil` if it is none.
    ///
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

    mutating func skip(_ tag: Tag) { if rest.first == tag.rawValue { _ = next(tag) } }

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
