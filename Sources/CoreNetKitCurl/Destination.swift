#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Where a request goes: scheme, host and port, read from the URL's text in one pass.
    struct Destination {
        /// Lower-case `https://host:port` as written, without user and password: one key for one pool of connections.
        let key: String
        let isSecure: Bool
        /// The whole URL as it is handed to libcurl.
        let url: String

        /// - Throws: ``TransportError`` with code `invalidRequest` for anything but an absolute `http` or `https` URL.
        init(_ url: URL) throws(TransportError) {
            var text = url.absoluteString
            let found = text.withUTF8 { Destination.scan($0) }
            guard let found else {
                throw FieldCheck.invalid("the URL is not an absolute http or https URL with a host")
            }
            (key, isSecure) = found
            self.url = text
        }

        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> (String, Bool)? {
            let isSecure: Bool
            let start: Int
            if starts(bytes, with: "http://") {
                (isSecure, start) = (false, 7)
            } else if starts(bytes, with: "https://") {
                (isSecure, start) = (true, 8)
            } else {
                return nil
            }
            var hostStart = start
            var end = bytes.count
            for index in start..<bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                    end = index
                    break
                }
                if byte == UInt8(ascii: "@") { hostStart = index + 1 }
            }
            guard hostStart < end, bytes[hostStart] != UInt8(ascii: ":") else { return nil }
            guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            let key = String(unsafeUninitializedCapacity: start + end - hostStart) { out in
                for index in 0..<start { out[index] = Headers.lowered(bytes[index]) }
                for index in hostStart..<end { out[start + index - hostStart] = Headers.lowered(bytes[index]) }
                return start + end - hostStart
            }
            return (key, isSecure)
        }

        private static func starts(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: StaticString) -> Bool {
            guard bytes.count > prefix.utf8CodeUnitCount else { return false }
            for index in 0..<prefix.utf8CodeUnitCount
            where Headers.lowered(bytes[index]) != prefix.utf8Start[index] {
                return false
            }
            return true
        }
    }
#endif
