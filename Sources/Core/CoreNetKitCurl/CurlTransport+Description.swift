#if os(Linux)
    // How a configuration appears in a log, in a debugger and in `dump`: everything except its secrets.

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
