#if os(Linux)
    // What a configuration looks like in a log, in a debugger and in `dump`: everything but its secrets.

    extension CurlTransport.Configuration.TLS.Identity: CustomStringConvertible, CustomReflectable {
        /// Where it comes from, without the key and its password.
        public var description: String {
            switch self {
            case .files(let certificate, let key, _): "certificate \(certificate), key \(key)"
            case .pem: "certificate and key as bytes"
            }
        }

        /// The description only.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
    }
#endif
