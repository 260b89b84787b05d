#if os(Linux)
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The lines that a transport adds to requests without such a field, as C strings that live as long as this object.
    ///
    /// Made from options, libcurl would build them for each request, at several times the price.
    /// `@unchecked Sendable`: it is immutable.
    final class UsualLines: @unchecked Sendable {
        typealias Line = UnsafeMutablePointer<CChar>

        /// The lines for one request.
        struct Choice {
            private(set) var lines: (Line?, Line?, Line?, Line?, Line?) = (nil, nil, nil, nil, nil)
            private(set) var count = 0

            mutating func append(_ line: Line?) {
                switch count {
                case 0: lines.0 = line
                case 1: lines.1 = line
                case 2: lines.2 = line
                case 3: lines.3 = line
                default: lines.4 = line
                }
                count = min(count + 1, 5)
            }

            subscript(index: Int) -> Line? {
                switch index {
                case 0: lines.0
                case 1: lines.1
                case 2: lines.2
                case 3: lines.3
                default: lines.4
                }
            }
        }

        // A name without a value keeps libcurl from sending the field.
        let noAccept = strdup("Accept:")
        let noExpect = strdup("Expect:")
        let noContentType = strdup("Content-Type:")
        let identity = strdup("Accept-Encoding: identity")
        let userAgent: Line?
        /// What this libcurl can decode, `nil` if nothing.
        let codings: Line?

        init(userAgent: String?, codings: [String]) {
            self.userAgent = userAgent.flatMap { strdup("User-Agent: \($0)") }
            self.codings = codings.isEmpty ? nil : strdup("Accept-Encoding: \(codings.joined(separator: ", "))")
        }

        deinit { for line in [noAccept, noExpect, noContentType, identity, userAgent, codings] { free(line) } }
    }
#endif
