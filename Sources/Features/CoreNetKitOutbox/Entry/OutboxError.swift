public import CoreNetKitEssentials
import CoreNetKitSystem

/// Why the outbox did not accept a request, or cannot do what was asked.
public struct OutboxError: Error, Sendable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The folder cannot be read now: a locked device, missing rights, or not a folder; nothing is lost.
        public static let notReady = Code("notReady")
        /// The limits are reached; nothing was written.
        public static let full = Code("full")
        /// One request is larger than the limits allow.
        public static let tooLarge = Code("tooLarge")
        /// The body is a stream that can be read only once.
        public static let unrepeatableBody = Code("unrepeatableBody")
        /// The request carries a field with credentials; those belong to a token policy, which each delivery asks again.
        public static let secretField = Code("secretField")
        /// The request cannot be put on a wire.
        public static let invalidRequest = Code("invalidRequest")
        /// A queue, key, time or owner is not valid.
        public static let invalidOption = Code("invalidOption")
        /// Written, but possibly not safe from a loss of power: it may be sent; ``OutboxError/id`` cancels it.
        public static let uncertain = Code("uncertain")
        /// This process already has an outbox on the folder.
        public static let alreadyOpen = Code("alreadyOpen")
        /// The outbox is being delivered already.
        public static let alreadyRunning = Code("alreadyRunning")
        /// The entry no longer exists.
        public static let notFound = Code("notFound")
        /// Another process delivers this outbox, and only that one can do this.
        public static let deliveredElsewhere = Code("deliveredElsewhere")
        /// A newer version of this library wrote the files; nothing was touched.
        public static let newerFormat = Code("newerFormat")
        /// The disk is full or broken; the request is not stored.
        public static let storage = Code("storage")
        /// The stored request differs from what was written; it was not sent.
        public static let damaged = Code("damaged")
        /// The entry ended without a response; the message says how.
        public static let notDelivered = Code("notDelivered")
        /// The request needs a condition that no source reports to this outbox.
        public static let unknownCondition = Code("unknownCondition")

        /// The code's name.
        public var description: String { name }
    }

    /// The class of failure.
    public let code: Code
    /// One line: what, where and what to do; without secrets.
    public let message: String
    /// The entry concerned, if any.
    public let id: UUID?
    /// The underlying error.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, id: UUID? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.id, self.cause) = (code, message, id, cause)
    }

    /// One line fit for a log.
    public var description: String { "\(code): \(message)" }
}

extension OutboxError {
    static let damagedRequest = OutboxError(.damaged, "the stored request is damaged")

    init(_ error: FileError) { self.init(.storage, "\(error)", cause: error) }

    static func newer(_ text: String) -> OutboxError {
        OutboxError(.newerFormat, "\(text); update the app before it opens this folder")
    }

    /// The same error, of an entry.
    func of(_ id: UUID) -> OutboxError { OutboxError(code, message, id: id, cause: cause) }
}
