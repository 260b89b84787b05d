#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitWire

    /// Where a request goes: scheme, host and port, and where the parts of the URL stand in its text.
    ///
    /// It has one owner: copies of its texts would be counted at each reading.
    struct Destination: ~Copyable {
        /// Lower-case `https://host:port`, the port where it is not the scheme's own: one key for one pool of connections.
        let key: String
        let isSecure: Bool
        /// The whole URL as it is handed to libcurl.
        let url: String
        /// The range of host and port, as in `Host`, in the text.
        let host: Range<Int>
        /// Path and query in the text, without the fragment.
        let target: Range<Int>
        /// Whether the path is empty, which is sent as `/` (RFC 9112, 3.2.1).
        let needsSlash: Bool
        /// The Unix domain socket that the URL names, if any.
        let socket: UnixSocket?
        /// Whether the authority contains more than a server expects: a password, an escape, a zone.
        let isUnusual: Bool

        /// - Throws: `TransportError` with code `invalidRequest` for anything but an absolute `http` or `https` URL.
        init(_ url: URL) throws(TransportError) { try self.init(text: url.absoluteString) }

        /// The same for the text of a URL.
        init(text: String) throws(TransportError) {
            var text = text
            if let found = text.withUTF8({ Destination.scan($0) }) {
                if found.isUnusual, let problem = URL(string: text).flatMap(BasicCredentials.problem(of:)) {
                    throw FieldCheck.invalid(problem)
                }
                (key, isSecure, host, target, needsSlash, isUnusual) = found
                socket = nil
            } else if let named = UnixSocket(text: text), let found = text.withUTF8({ Destination.scan($0, named) }) {
                (key, isSecure, host, target, needsSlash, isUnusual) = found
                socket = named
            } else {
                throw FieldCheck.invalid("the URL is not an absolute http or https URL with a host")
            }
            self.url = text
        }

        /// The key as a log may contain it: a socket's path names somebody's file.
        var shown: String { socket == nil ? key : Redaction.text(of: key) }

        /// What libcurl connects to: a socket's listener has no host name and is called `localhost`.
        var place: String { socket == nil ? key : isSecure ? "https://localhost" : "http://localhost" }

        private typealias Found = (
            String, Bool, host: Range<Int>, target: Range<Int>, needsSlash: Bool, isUnusual: Bool
        )

        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ socket: UnixSocket) -> Found? {
            let raw = UnsafeRawBufferPointer(bytes)
            guard ASCII.areVisible(raw) else { return nil }
            let end = ASCII.find(UInt8(ascii: "#"), in: raw, from: socket.end) ?? bytes.count
            let needsSlash = end == socket.end || bytes[socket.end] != UInt8(ascii: "/")
            let host = socket.scheme.utf8.count + 3..<socket.end
            let target = socket.end..<end
            return (socket.text, socket.isSecure, host: host, target: target, needsSlash: needsSlash, isUnusual: true)
        }

        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Found? {
            let raw = UnsafeRawBufferPointer(bytes)
            guard let parts = Origin.Parts(bytes), ASCII.areVisible(raw) else { return nil }
            let scheme = parts.isSecure ? 8 : 7
            let isUsual = parts.port == (parts.isSecure ? 443 : 80)
            let place = parts.host.lowerBound..<(isUsual ? parts.host.upperBound : parts.end)
            let key = String(unsafeUninitializedCapacity: scheme + place.count) { out in
                for index in 0..<scheme { out[index] = Headers.lowered(bytes[index]) }
                for index in place { out[scheme + index - place.lowerBound] = Headers.lowered(bytes[index]) }
                return scheme + place.count
            }
            let end = ASCII.find(UInt8(ascii: "#"), in: raw, from: parts.end) ?? bytes.count
            let isUnusual =
                parts.host.lowerBound > scheme
                || UnsafeRawBufferPointer(rebasing: raw[parts.host]).contains(UInt8(ascii: "%"))
            let needsSlash = end == parts.end || bytes[parts.end] != UInt8(ascii: "/")
            return (key, parts.isSecure, place, parts.end..<end, needsSlash, isUnusual)
        }

        /// Path and query if newer libcurl would write them differently, which is another target to a server that signs
        /// them: with a lower-case hexadecimal digit in an escape, or an empty query.
        var rewrittenTarget: String? {
            var text = url
            return text.withUTF8 { bytes in
                let part = UnsafeBufferPointer(rebasing: bytes[target])
                var isRewritten = part.last == UInt8(ascii: "?")
                for index in part.indices where part[index] == UInt8(ascii: "%") && index + 2 < part.count {
                    if part[index + 1] >= UInt8(ascii: "a") || part[index + 2] >= UInt8(ascii: "a") {
                        isRewritten = true
                    }
                }
                guard isRewritten else { return nil }
                let text = String(decoding: part, as: UTF8.self)
                return text.hasPrefix("/") ? text : "/" + text
            }
        }

        /// User and password of the URL as the value of `Authorization`, if there are any (RFC 7617).
        var credentials: String? {
            guard isUnusual, socket == nil, let parts = URLComponents(string: url), let user = parts.user else {
                return nil
            }
            return try? BasicCredentials.field(user: user, password: parts.password ?? "")
        }

        /// Host and port as in `Host`, if the URL's authority contains more: unescaped, without a zone.
        var plainHost: String {
            guard socket == nil else { return "localhost" }
            var text = url
            let place = text.withUTF8 { String(decoding: $0[host], as: UTF8.self) }
            guard let percent = place.firstIndex(of: "%") else { return place }
            guard place.first == "[", let end = place.firstIndex(of: "]") else {
                let host = URLComponents(string: url)?.host ?? place
                return FieldCheck.isValue(host) ? host + place[(place.firstIndex(of: ":") ?? place.endIndex)...] : place
            }
            return String(place[..<percent] + place[end...])
        }
    }
#endif
