public import CoreNetKitHTTP
import Synchronization

/// What belongs to one call and rides beside its value through the chain: data only, never services.
public struct RequestContext: Sendable {
    /// What stays the same throughout a call; a call that is only counted has its figures in the same object.
    ///
    /// `@unchecked Sendable`: nothing of it changes.
    class Call: @unchecked Sendable {
        final let id: UInt64
        final let clock: CallClock
        final let recording: CallRecording?
        final let user: CallUser
        final let secrets: SecretRules

        init(id: UInt64, clock: CallClock, recording: CallRecording?, user: CallUser, secrets: SecretRules) {
            self.secrets = secrets
            self.id = id
            self.clock = clock
            self.recording = recording
            self.user = user
        }
    }

    private let call: Call
    /// Whether somebody listens: beside the call, so that a note for nobody costs one test.
    @usableFromInline let isRecorded: Bool
    /// Whether somebody wants more than to count.
    @usableFromInline let isDetailed: Bool
    /// Which try of the call this is, counted from 1.
    public var attempt = 1
    /// When the call must have ended, by ``clock``; `nil` is never.
    public var deadline: Duration?
    /// Values of one's own nodes, each under its own key.
    public var attributes = Attributes()
    /// How deep in the record the nodes write.
    package var depth = 0
    /// Which of the parallel requests of an attempt this is: 1 for the hedged one.
    package var branch = 0
    /// Whether the retry budget has learned of this call.
    package var isCounted = false
    /// Whether nobody asked for the deadline, so that content that takes its time may lift it.
    package var hasStandardDeadline = false
    /// Names of fields that carry credentials of this call, beside those that always do: they go to no other origin.
    package var credentialFields: [String] = []

    private static let lastID = Atomic<UInt64>(0)

    /// Creates the context of a new call.
    ///
    /// - Parameters:
    ///   - deadline: When the call must have ended, by the clock.
    ///   - clock: The time that the deadline goes by.
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
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        call = Call(id: id, clock: clock, recording: recording(id), user: user, secrets: secrets)
        isDetailed = call.recording != nil
        isRecorded = isDetailed
        self.deadline = deadline
    }

    /// Creates the context of a call that is counted, and not recorded.
    init(
        deadline: Duration?,
        clock: CallClock,
        user: CallUser,
        secrets: SecretRules,
        countedBy counters: [any CallCounter],
        template: String?
    ) {
        call = CallTally(
            id: Self.lastID.add(1, ordering: .relaxed).newValue,
            clock: clock,
            user: user,
            secrets: secrets,
            counters: counters,
            template: template
        )
        (isDetailed, isRecorded) = (false, true)
        self.deadline = deadline
    }

    /// A number that no other call of this process has.
    public var id: UInt64 { call.id }

    /// The time that the deadline goes by.
    public var clock: CallClock { call.clock }

    /// The time that is left; zero or less when the deadline has passed, `nil` without one.
    public var remaining: Duration? { deadline.map { $0 - clock.now } }

    /// Takes the deadline away that nobody asked for, because of content that takes its time; an inherited one stays.
    package mutating func liftStandardDeadline() {
        if hasStandardDeadline { deadline = CallDeadline.current?.end(by: clock) }
    }

    /// Whose call this is: the user who was signed in when it began, as the chain's policies knew then.
    public var partition: Partition { session.partition }

    /// The login in which the call began.
    public var session: Partition.Session { call.user.session }

    /// Who began the call, and who is signed in now.
    package var user: CallUser { call.user }

    /// What is secret in this call, as its client says.
    package var secrets: SecretRules { call.secrets }

    /// The events of this call, `nil` when nobody listens but to count.
    package var recording: CallRecording? { call.recording }

    /// What is counted of a call without a record.
    var tally: CallTally? { isRecorded && !isDetailed ? unsafeDowncast(call, to: CallTally.self) : nil }

    /// The same call one level deeper in its record.
    package var nested: RequestContext {
        var copy = self
        copy.depth += 1
        return copy
    }
}
