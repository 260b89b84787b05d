public import CoreNetKitHTTP
import Synchronization

/// The data of one call that travels beside its value through the chain: values only, never services.
public struct RequestContext: Sendable {
    /// The part that is constant throughout a call; the subclass of a call that is only counted adds the statistics.
    ///
    /// `@unchecked Sendable`: it is immutable.
    class Call: @unchecked Sendable {
        private static let lastID = Atomic<UInt64>(0)

        final let id = lastID.add(1, ordering: .relaxed).newValue
        final let clock: CallClock
        final let recording: CallRecording?
        final let user: CallUser
        final let secrets: SecretRules

        init(
            clock: CallClock,
            user: CallUser,
            secrets: SecretRules,
            recording: (_ call: UInt64) -> CallRecording? = { _ in nil }
        ) {
            self.recording = recording(id)
            (self.clock, self.user, self.secrets) = (clock, user, secrets)
        }
    }

    private let call: Call
    /// Whether there is a listener; stored outside `call`, so that a note without listeners costs one test.
    @usableFromInline let isRecorded: Bool
    /// Whether a listener other than a counter exists.
    @usableFromInline let isDetailed: Bool
    /// The number of the attempt, counted from 1.
    public var attempt = 1
    /// When the call must have ended, on ``clock``; `nil` for no deadline.
    public var deadline: Duration?
    /// Values of your own nodes, each under its own key.
    public var attributes = Attributes()
    /// The depth of the nodes' events in the record.
    package var depth = 0
    /// The index among the parallel requests of an attempt: 1 for the hedged one.
    package var branch = 0
    /// Whether the retry budget has counted this call.
    package var isCounted = false
    /// Whether the deadline is only the default.
    var hasStandardDeadline = false
    /// Names of fields that carry credentials of this call, in addition to the standard ones: they are not sent to
    /// another origin.
    package var credentialFields: [String] = []

    /// Creates the context of a new call, whose deadline is a time of the clock.
    public init(deadline: Duration? = nil, clock: CallClock = .continuous) {
        self.init(deadline: deadline, clock: clock) { _ in nil }
    }

    /// Creates the context of a call that may be recorded under its number.
    package init(
        deadline: Duration?,
        clock: CallClock,
        user: CallUser = CallUser(),
        secrets: SecretRules = .standard,
        recording: (_ call: UInt64) -> CallRecording?
    ) {
        call = Call(clock: clock, user: user, secrets: secrets, recording: recording)
        isDetailed = call.recording != nil
        isRecorded = isDetailed
        self.deadline = deadline
    }

    /// Creates the context of a call that is counted, but not recorded.
    init(_ counted: CountedCall, deadline: Duration?) {
        call = counted
        (isDetailed, isRecorded) = (false, true)
        self.deadline = deadline
    }

    /// A number that is unique for each call of this process.
    public var id: UInt64 { call.id }

    /// The clock of the deadline.
    public var clock: CallClock { call.clock }

    /// The remaining time; zero or less when the deadline has passed, `nil` without a deadline.
    public var remaining: Duration? { deadline.map { $0 - clock.now } }

    /// Whether the deadline is only the default, and content of unlimited size is sent or received: then an idle limit is
    /// suitable, a time limit is not.
    ///
    /// The handshake of a connection ends with its head, and has a time limit like any call.
    package func hasTooShortDeadline(for request: TransportRequest) -> Bool {
        guard hasStandardDeadline else { return false }
        return !(request.delivery.isCollected || request.delivery == .duplex) || !request.isBodyInMemory
    }

    /// Removes the default deadline; an inherited deadline stays.
    package mutating func removeStandardDeadline() {
        if hasStandardDeadline { deadline = CallDeadline.current?.end(by: clock) }
    }

    /// The user who was signed in when the call began, according to the chain's policies.
    public var partition: Partition { session.partition }

    /// The session in which the call began.
    public var session: Partition.Session { call.user.session }

    /// The user who began the call, to compare with the one who is signed in now.
    package var user: CallUser { call.user }

    package var secrets: SecretRules { call.secrets }

    /// The events of this call; `nil` if there are only counters.
    package var recording: CallRecording? { call.recording }

    /// The statistics of a call without a record.
    var countedCall: CountedCall? { isRecorded && !isDetailed ? unsafeDowncast(call, to: CountedCall.self) : nil }

    /// The same call, one level deeper in its record.
    package var nested: RequestContext {
        var copy = self
        copy.depth += 1
        return copy
    }
}
