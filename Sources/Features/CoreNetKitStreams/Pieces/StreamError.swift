import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

/// Why streamed content cannot be read further: the cause of the chain's error.
public struct StreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// A line is longer than its limit.
        public static let lineTooLong = Code("lineTooLong")
        /// The data of one event is larger than its limit.
        public static let eventTooLarge = Code("eventTooLarge")
        /// One element, or the text around the elements, is larger than its limit.
        public static let elementTooLarge = Code("elementTooLarge")
        /// The content does not conform to its format.
        public static let malformed = Code("malformed")
        /// The content ended inside an element.
        public static let cut = Code("cut")
        /// There is no array at the path.
        public static let missingArray = Code("missingArray")
        /// The media type has no boundary.
        public static let missingBoundary = Code("missingBoundary")

        /// A page leads to an earlier one: following it would never end.
        public static let repeatedPage = Code("repeatedPage")
        /// The next page is on another origin, which was not allowed.
        public static let foreignOrigin = Code("foreignOrigin")
        /// There are more pages than the limit.
        public static let tooManyPages = Code("tooManyPages")

        /// The code's name.
        public var description: String { name }
    }

    /// The class of failure.
    public let code: Code
    /// What was expected and what was found: one line, without content.
    public let message: String
    /// The element that was being read, counted from 0.
    public let index: Int?
    /// The offset of its first byte in the content.
    public let offset: Int64?

    package init(_ code: Code, _ message: String, index: Int? = nil, offset: Int64? = nil) {
        (self.code, self.message, self.index, self.offset) = (code, message, index, offset)
    }

    /// One line with the position and the reason.
    public var description: String {
        let place = [index.map { "element \($0)" }, offset.map { "byte \($0)" }].compactMap(\.self)
        return "\(code): \(message)" + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))")
    }
}

extension NetworkError {
    static func stream(_ error: StreamError, node: NodeID, response: FailedResponse?) -> NetworkError {
        let code: Code =
            switch error.code {
            case .cut: .connectionLost
            case .lineTooLong, .eventTooLarge, .elementTooLarge, .tooManyPages: .responseTooLarge
            case .foreignOrigin: .redirectRefused
            default: .decodingFailed
            }
        var failure = NetworkError(code, "\(error)", node: node, response: response, cause: error)
        if error.code == .cut { failure.phase = .receive }
        return failure
    }

    static func piece(
        _ error: any Error,
        as type: Any.Type,
        place: String,
        node: NodeID,
        response: FailedResponse?
    ) -> NetworkError {
        if let error = error as? NetworkError { return error }
        let failure = DecodingFailure(error, type: type)
        return NetworkError(.decodingFailed, "\(place): \(failure)", node: node, response: response, cause: error)
    }
}
