public import CoreNetKitEssentials

/// Scheme, host and port of a URL: the server that connections go to and that secrets belong to.
///
/// - SeeAlso: [RFC 9110, 4.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-4.3.1)
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme in lower case.
    public let scheme: String
    /// The host in its normal form, whatever its spelling in the URL: decoded, in lower case, without a dot at its end;
    /// `127.1` is `127.0.0.1`, and an IPv6 address is in brackets.
    ///
    /// For a Unix domain socket it is the escaped path, in its own case.
    public let host: String
    /// The port; the scheme's default if the URL names none.
    public let port: Int

    /// The origin of a URL.
    public init(_ url: URL) { self = Origin(text: url.absoluteString) ?? Origin(other: url) }

    /// The origin of a URL's text; `nil` for anything but an absolute `http` or `https` URL.
    package init?(text: String) {
        var text = text
        guard let origin = text.withUTF8({ Origin($0) }) else { return nil }
        self = origin
    }

    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let parts = Parts(bytes), let host = HostName.normal(UnsafeBufferPointer(rebasing: bytes[parts.host]))
        else { return nil }
        scheme = parts.isSecure ? "https" : "http"
        self.host = host
        port = Int(parts.port)
    }

    /// For other schemes, invalid authorities, and hosts without a normal form, which no other origin has.
    private init(other url: URL) {
        if let socket = UnixSocket(text: url.absoluteString) {
            (scheme, host, port) = (socket.scheme, socket.authority, socket.isSecure ? 443 : 80)
            return
        }
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host(percentEncoded: true).map { HostName.normal($0) ?? $0 } ?? ""
        // An unreadable port of these two schemes is never the default port.
        port = url.port ?? (scheme == "http" || scheme == "https" ? -1 : 80)
    }

    /// Whether communication with it is encrypted.
    public var isSecure: Bool { scheme == "https" || scheme == "https+unix" }

    /// The origin as text, without the scheme's default port.
    public var description: String {
        "\(scheme)://\(host)" + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
    }

    /// The positions of an origin's parts in the bytes of a URL: the only parser of an authority.
    package struct Parts {
        package let isSecure: Bool
        /// The host as it is written, including brackets; ``HostName/normal(_:)`` gives its normal form.
        package let host: Range<Int>
        package let port: UInt16
        package let end: Int

        /// `nil` for anything but an absolute `http` or `https` URL with a host and a valid port.
        package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            let start: Int
            if Parts.starts(bytes, with: "http://") {
                (isSecure, start) = (false, 7)
            } else if Parts.starts(bytes, with: "https://") {
                (isSecure, start) = (true, 8)
            } else {
                return nil
            }
            var first = start
            var end = start
            while end < bytes.count, !Parts.endsAuthority(bytes[end]) {
                if bytes[end] == UInt8(ascii: "@") { first = end + 1 }
                // Some parsers read it as a slash, others as part of the host.
                if bytes[end] == UInt8(ascii: "\\") { return nil }
                end += 1
            }
            self.end = end
            let colon = Parts.colon(in: bytes, first, end)
            guard first < colon else { return nil }
            host = first..<colon
            guard colon + 1 < end else {
                port = isSecure ? 443 : 80
                return
            }
            guard let port = Parts.number(bytes, colon + 1, end) else { return nil }
            self.port = port
        }

        /// Whether scheme and authority are plainly in normal form: without user info or port.
        package func areCanonical(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            let start = isSecure ? 8 : 7
            guard host.lowerBound == start, host.upperBound == end else { return false }
            return bytes[..<start].allSatisfy { Headers.lowered($0) == $0 }
                && HostName.isPlain(UnsafeBufferPointer(rebasing: bytes[host]))
        }

        fileprivate static func endsAuthority(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }

        /// The colon before the port, or the end; colons inside brackets are part of an address.
        private static func colon(in bytes: UnsafeBufferPointer<UInt8>, _ first: Int, _ end: Int) -> Int {
            var index = first
            if index < end, bytes[index] == UInt8(ascii: "[") {
                while index < end, bytes[index] != UInt8(ascii: "]") { index += 1 }
            }
            while index < end, bytes[index] != UInt8(ascii: ":") { index += 1 }
            return index
        }

        private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int, _ end: Int) -> UInt16? {
            var value: UInt32 = 0
            for index in first..<end {
                guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
                value = value * 10 + UInt32(bytes[index] - 0x30)
                guard value <= 65535 else { return nil }
            }
            return UInt16(value)
        }

        private static func starts(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: StaticString) -> Bool {
            guard bytes.count > prefix.utf8CodeUnitCount else { return false }
            for index in 0..<prefix.utf8CodeUnitCount
            where Headers.lowered(bytes[index]) != prefix.utf8Start[index] { return false }
            return true
        }
    }

    /// A URL's text with host and port in their shortest normal form, if they have one, and whether its name ended with a dot.
    package static func respelled(_ text: String) -> (text: String?, hasDot: Bool)? {
        var text = text
        return text.withUTF8 { bytes in
            guard let parts = Parts(bytes) else { return nil }
            let written = UnsafeBufferPointer(rebasing: bytes[parts.host])
            guard let host = HostName.normal(written) else { return (nil, false) }
            let hasDot = written.last == UInt8(ascii: ".") && !HostName.isAddress(host)
            let port = parts.port == (parts.isSecure ? 443 : 80) ? "" : ":\(parts.port)"
            let head = String(decoding: bytes[..<parts.host.lowerBound], as: UTF8.self)
            let tail = String(decoding: bytes[parts.end...], as: UTF8.self)
            return (head + host + (hasDot ? "." : "") + port + tail, hasDot)
        }
    }

    /// Whether a URL belongs to one of the origins; with few origins, none is created for the URL.
    package static func isFound(_ url: URL, in origins: Set<Origin>) -> Bool {
        var text = url.absoluteString
        let found = text.withUTF8 { bytes -> Bool? in
            guard origins.count <= 8, let parts = Parts(bytes) else { return nil }
            return origins.contains { $0.has(parts, of: bytes) }
        }
        return found ?? origins.contains(Origin(url))
    }

    /// The position after this origin in a URL's text, which is not parsed if it begins with the origin's `usual` description.
    package func end(in text: String, usual: String) -> Int? {
        if text.hasPrefix(usual) {
            let end = usual.utf8.count
            if text.utf8.dropFirst(end).first.map({ Parts.endsAuthority($0) }) ?? true { return end }
        }
        var text = text
        return text.withUTF8 { bytes in Parts(bytes).flatMap { has($0, of: bytes) ? $0.end : nil } }
    }

    /// A URL's text with another origin instead of this one; `nil` if it does not belong to this one.
    package func replaced(in text: String, by other: String) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            guard let parts = Parts(bytes), has(parts, of: bytes) else { return nil }
            return other + String(decoding: bytes[parts.end...], as: UTF8.self)
        }
    }

    private func has(_ parts: Parts, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isSecure == parts.isSecure, port == Int(parts.port) else { return false }
        let written = UnsafeBufferPointer(rebasing: bytes[parts.host])
        return HostName.isPlain(written) ? host.utf8.elementsEqual(written) : HostName.normal(written) == host
    }
}

extension Headers {
    /// Removes every field that is meant for one origin only, before a request goes to another one.
    ///
    /// These are the fields whose values are never shown, `Authorization`, `Cookie`, API keys and fields named token,
    /// secret or signature; fields that may identify the user, such as `X-User-Id`; URLs that contain secrets; and fields of
    /// unknown names whose values look like credentials.
    public mutating func removeSecrets(by rules: SecretRules = .standard) {
        fields.removeAll {
            Redaction.hasSecrets($0, by: rules) || rules.isCredential(field: $0.name, value: $0.value)
        }
    }
}

extension TransportRequest {
    /// Removes what is meant for one origin only, from the head and from the trailers, before the request goes to another one.
    ///
    /// A trailer is judged by its name, because its value is made when it is sent; `credentials` names more fields of this call.
    package mutating func removeSecrets(by rules: SecretRules, and credentials: [String]) {
        headers.removeSecrets(by: rules)
        for name in credentials { headers.remove(name) }
        let trailers = body.trailers.filter { trailer in
            !Redaction.hasSecrets(Headers.Field(name: trailer.name, value: ""), by: rules)
                && !credentials.contains { Headers.matches($0, trailer.name) }
        }
        guard trailers.count < body.trailers.count else { return }
        body = body.with(trailers: trailers)
        headers.remove("Trailer")
    }
}
