#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials

    /// Where a request goes: scheme, host and port, read from the URL's text in one pass.
    struct Destination {
        /// Lower-case `https://host:port`, the port where it is not the scheme's own: one key for one pool of connections.
        let key: String
        let isSecure: Bool
        /// The whole URL as it is handed to libcurl.
        let url: String
        /// Path and query where libcurl would write them otherwise, which is another target to a server that signs them.
        let target: String?

        /// - Throws: ``TransportError`` with code `invalidRequest` for anything but an absolute `http` or `https` URL.
        init(_ url: URL) throws(TransportError) {
            var text = url.absoluteString
            let found = text.withUTF8 { Destination.scan($0) }
            guard let found else {
                throw FieldCheck.invalid("the URL is not an absolute http or https URL with a host")
            }
            (key, isSecure, target) = found
            self.url = text
        }

        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> (String, Bool, String?)? {
            guard let parts = Origin.Parts(bytes), bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            let scheme = parts.isSecure ? 8 : 7
            let isUsual = parts.port == (parts.isSecure ? 443 : 80)
            let place = parts.host.lowerBound..<(isUsual ? parts.host.upperBound : parts.end)
            let key = String(unsafeUninitializedCapacity: scheme + place.count) { out in
                for index in 0..<scheme { out[index] = Headers.lowered(bytes[index]) }
                for index in place { out[scheme + index - place.lowerBound] = Headers.lowered(bytes[index]) }
                return scheme + place.count
            }
            return (key, parts.isSecure, CurlLibrary.rewritesTargets ? target(bytes, from: parts.end) : nil)
        }

        /// The target, if it has a small hexadecimal digit in an escape, or a query that is empty.
        private static func target(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> String? {
            var end = start
            var isRewritten = false
            while end < bytes.count, bytes[end] != UInt8(ascii: "#") {
                if bytes[end] == UInt8(ascii: "%"), end + 2 < bytes.count {
                    isRewritten =
                        isRewritten || bytes[end + 1] >= UInt8(ascii: "a") || bytes[end + 2] >= UInt8(ascii: "a")
                }
                end += 1
            }
            let isQueryEmpty = end > start && bytes[end - 1] == UInt8(ascii: "?")
            guard isRewritten || isQueryEmpty, start < end else { return nil }
            let target = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
            return target.hasPrefix("/") ? target : "/" + target
        }
    }
#endif
