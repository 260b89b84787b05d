#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitWire

    /// Where a request goes, and where the parts of the URL stand in its text; copies would be counted at each reading.
    struct Destination: ~Copyable {
        /// Lower-case `https://host:port`, the port where it is not the scheme's own: one key for one pool of connections.
        let key: String
        let isSecure: Bool
        /// The whole URL as it is handed to libcurl, its host in normal form, with the dot at its end if it had one.
        let url: String
        /// The range of host and port, as in `Host`, in the text.
        let host: Range<Int>
        /// Path and query in the text, without the fragment.
        let target: Range<Int>
        /// Whether the path is empty, which is sent as `/` (RFC 9112, 3.2.1).
        let needsSlash: Bool
        let socket: UnixSocket?
        /// Whether the authority contains more than a server expects: a password, a zone, a dot at its end.
        let isUnusual: Bool
        let hasDot: Bool

        /// - Throws: `invalidRequest` for anything but an absolute `http` or `https` URL whose host has a normal form.
        init(text: String) throws(TransportError) {
            var (text, socket, hasDot): (String, UnixSocket?, Bool) = (text, nil, false)
            var found = text.withUTF8 { Destination.scan($0) }
            if found == nil, let named = UnixSocket(text: text) {
                found = text.withUTF8 { Destination.scan($0, named) }
                if found != nil { socket = named }
            }
            if found == nil, let respelled = Origin.respelled(text) {
                guard let normal = respelled.text else { throw FieldCheck.invalid(HostName.missing) }
                (text, hasDot) = (normal, respelled.hasDot)
                found = text.withUTF8 { Destination.scan($0, isNormal: true, hasDot: hasDot) }
            }
            guard let found else {
                throw FieldCheck.invalid("the URL is not an absolute http or https URL with a host")
            }
            if socket == nil, found.isUnusual, let problem = URL(string: text).flatMap(BasicCredentials.problem(of:)) {
                throw FieldCheck.invalid(problem)
            }
            (key, isSecure, host, target) = (found.key, found.isSecure, found.host, found.target)
            (needsSlash, isUnusual) = (found.needsSlash, found.isUnusual)
            (url, self.socket, self.hasDot) = (text, socket, hasDot)
        }

        /// The key as a log may contain it: a socket's path may name a user.
        var redactedText: String { socket == nil ? key : Redaction.text(of: key) }

        /// What libcurl connects to: a socket's listener has no host name and is called `localhost`.
        var place: String {
            guard socket == nil else { return isSecure ? "https://localhost" : "http://localhost" }
            guard hasDot else { return key }
            let host = Destination.server(of: key).host
            return key.replacing(host, with: host + ".", maxReplacements: 1)
        }

        var certifiedKey: String { socket == nil ? key : place }

        /// Host and port of a key; of a Unix domain socket its path.
        static func server(of key: String) -> (host: String, port: Int) {
            if let socket = UnixSocket(text: key) { return (socket.path, 0) }
            guard let start = key.firstRange(of: "://")?.upperBound else { return (key, 0) }
            let place = key[start...]
            let end = place.first == "[" ? place.firstIndex(of: "]").map { place.index(after: $0) } : nil
            let host = place[..<(end ?? place.firstIndex(of: ":") ?? place.endIndex)]
            let port = Int(place[host.endIndex...].dropFirst()) ?? (key.hasPrefix("https:") ? 443 : 80)
            return (String(host), port)
        }

        /// A type, because an optional tuple is copied by the runtime, for each call.
        private struct Found {
            let key: String, isSecure: Bool
            let host: Range<Int>, target: Range<Int>
            let needsSlash: Bool, isUnusual: Bool
        }

        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ socket: UnixSocket) -> Found? {
            let raw = UnsafeRawBufferPointer(bytes)
            guard ASCII.areVisible(raw) else { return nil }
            let end = ASCII.find(UInt8(ascii: "#"), in: raw, from: socket.end) ?? bytes.count
            let needsSlash = end == socket.end || bytes[socket.end] != UInt8(ascii: "/")
            let host = socket.scheme.utf8.count + 3..<socket.end
            let target = socket.end..<end
            return Found(
                key: socket.text,
                isSecure: socket.isSecure,
                host: host,
                target: target,
                needsSlash: needsSlash,
                isUnusual: true
            )
        }

        /// - Returns: `nil` also where the host is not plainly in normal form.
        private static func scan(
            _ bytes: UnsafeBufferPointer<UInt8>,
            isNormal: Bool = false,
            hasDot: Bool = false
        ) -> Found? {
            let raw = UnsafeRawBufferPointer(bytes)
            guard let parts = Origin.Parts(bytes), ASCII.areVisible(raw) else { return nil }
            let scheme = parts.isSecure ? 8 : 7
            let isUsual = parts.port == (parts.isSecure ? 443 : 80)
            let name = parts.host.lowerBound..<parts.host.upperBound - (hasDot ? 1 : 0)
            let port = parts.host.upperBound..<(isUsual ? parts.host.upperBound : parts.end)
            if !isNormal {
                guard HostName.isPlain(UnsafeBufferPointer(rebasing: bytes[name])) else { return nil }
                if port.count > 1, bytes[port.lowerBound + 1] == UInt8(ascii: "0") { return nil }
            }
            let key = String(unsafeUninitializedCapacity: scheme + name.count + port.count) { out in
                for index in 0..<scheme { out[index] = Headers.lowered(bytes[index]) }
                for index in name { out[scheme + index - name.lowerBound] = bytes[index] }
                for index in port { out[scheme + name.count + index - port.lowerBound] = bytes[index] }
                return scheme + name.count + port.count
            }
            let end = ASCII.find(UInt8(ascii: "#"), in: raw, from: parts.end) ?? bytes.count
            let isUnusual = name.lowerBound > scheme || hasDot || isNormal && bytes[name].contains(UInt8(ascii: "%"))
            let needsSlash = end == parts.end || bytes[parts.end] != UInt8(ascii: "/")
            let (host, target) = (name.lowerBound..<port.upperBound, parts.end..<end)
            return Found(
                key: key,
                isSecure: parts.isSecure,
                host: host,
                target: target,
                needsSlash: needsSlash,
                isUnusual: isUnusual
            )
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

        /// Host and port as in `Host`, if the URL's authority contains more: without a zone, and without a dot.
        var plainHost: String {
            guard socket == nil else { return "localhost" }
            let place = String(key.dropFirst(isSecure ? 8 : 7))
            guard let zone = place.firstIndex(of: "%"), let end = place.firstIndex(of: "]") else { return place }
            return String(place[..<zone] + place[end...])
        }
    }
#endif
