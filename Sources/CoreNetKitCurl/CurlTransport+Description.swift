#if os(Linux)
    import CoreNetKitHTTP

    // What a configuration looks like in a log, in a debugger and in `dump`: everything but its secrets.

    extension CurlTransport.Configuration.Proxy: CustomStringConvertible, CustomReflectable {
        /// The way, without user and password.
        public var description: String {
            switch self {
            case .none: "none"
            case .environment: "environment"
            case .server(let url, let credentials, _):
                Redaction.url(url) + (credentials == nil ? "" : " with credentials")
            }
        }

        /// The description only.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
    }

    extension CurlTransport.Configuration.Proxy.Credentials: CustomStringConvertible, CustomReflectable {
        /// That there are some.
        public var description: String { "<redacted>" }

        /// The description only.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
    }

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
