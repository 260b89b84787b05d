package import CoreNetKitHTTP

extension CallStatistics {
    /// A method as counters report it: by its name if it is a standard one.
    package enum Method: UInt8, Sendable {
        case get, head, post, put, delete, connect, options, trace, patch, query, other

        package init(_ method: HTTPMethod) {
            self =
                switch method.rawValue {
                case "GET": .get
                case "POST": .post
                case "PUT": .put
                case "HEAD": .head
                case "DELETE": .delete
                case "CONNECT": .connect
                case "OPTIONS": .options
                case "TRACE": .trace
                case "PATCH": .patch
                case "QUERY": .query
                default: .other
                }
        }

        /// The name; `_OTHER` for a method that is not a standard one.
        package var name: String { self == .other ? "_OTHER" : "\(self)".uppercased() }
    }

    /// A version of HTTP; the usual ones need no text.
    package enum Version: Sendable {
        case unknown, v10, v11, v2, v3
        case other(String)

        init(_ name: String?) {
            self =
                switch name {
                case nil: .unknown
                case "1.1"?: .v11
                case "2"?: .v2
                case "3"?: .v3
                case "1.0"?: .v10
                case let name?: .other(name)
                }
        }

        var code: UInt8? {
            switch self {
            case .unknown: 0
            case .v10: 1
            case .v11: 2
            case .v2: 3
            case .v3: 4
            case .other: nil
            }
        }

        package var name: String? {
            switch self {
            case .unknown: nil
            case .v10: "1.0"
            case .v11: "1.1"
            case .v2: "2"
            case .v3: "3"
            case .other(let name): name
            }
        }
    }
}
