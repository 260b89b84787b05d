extension PercentEncoding {
    /// Which ASCII characters are kept; every other byte is escaped.
    package struct Table: Sendable {
        private let low: UInt64
        private let high: UInt64
        package let spaceIsPlus: Bool

        private init(_ kept: String, spaceIsPlus: Bool = false) {
            var bits: (low: UInt64, high: UInt64) = (0, 0)
            for byte in kept.utf8 {
                if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
            }
            (low, high) = bits
            self.spaceIsPlus = spaceIsPlus
        }

        package func keeps(_ byte: UInt8) -> Bool {
            if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
            return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
        }

        /// One name or value of a query, or one segment of a path: keeps only unreserved characters (RFC 3986, 2.3),
        /// so that no server can take a part of the text for a delimiter, including `+` and `;`.
        package static let component = Table(unreserved)

        /// One name or value of `application/x-www-form-urlencoded`, as the WHATWG URL standard serialises it.
        package static let form = Table(alphanumeric + "*-._", spaceIsPlus: true)

        /// A whole path, with `/` between segments.
        package static let path = Table(unreserved + subDelimiters + ":@/")

        /// A whole query or fragment, with its delimiters.
        package static let queryText = Table(unreserved + subDelimiters + ":@/?")
    }
}

private let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
private let unreserved = alphanumeric + "-._~"
private let subDelimiters = "!$&'()*+,;="
