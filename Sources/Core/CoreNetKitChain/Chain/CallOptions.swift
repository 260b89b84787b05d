package import CoreNetKitEssentials
package import CoreNetKitHTTP
package import Dispatch

/// How a chain runs its calls: shared by all of them, made once.
package struct CallOptions: Sendable {
    package enum Deadline: Sendable {
        /// 60 s; none for a streamed body, or for one that is read from or written to a file.
        case standard
        case limit(Duration)
        /// None, not even the limit of the surrounding code.
        case none
        /// No limit of its own: nested calls have their own limits.
        case inherited

        /// The limit of a call whose content is collected.
        package var limit: Duration? {
            switch self {
            case .standard: .seconds(60)
            case .limit(let limit): limit
            case .none, .inherited: nil
            }
        }

        /// Whether nested calls have another limit than the surrounding code.
        var overridesInheritedDeadline: Bool {
            switch self {
            case .limit: true
            case .none: CallDeadline.surrounding != nil
            case .standard, .inherited: false
            }
        }
    }

    package var clock = CallClock.continuous
    package var deadline = Deadline.standard
    package var priority: TaskPriority = .userInitiated
    package var queue: DispatchQueue = .main
    package var date: @Sendable () -> Date = { Date() }
    package var listeners = CallListeners()
    /// The route without the parts that differ from call to call.
    package var template: String?
    /// The source of the signed-in user; `nil` if no policy knows users.
    package var session: SessionSource?
    /// The user who started the larger operation that the call is part of: a list of pages, an event stream, an upload.
    var startingUser: CallUser?
    package var secrets: SecretRules {
        get { listeners.secrets }
        set { listeners.secrets = newValue }
    }
    /// Why every call fails: a problem of the settings, or of the order of the nodes.
    package var problem: String?
    /// Called after each call that fails or is cancelled, wherever that was decided.
    package var onFailure: (@Sendable () -> Void)?
    /// Makes the error that callers get from the one that a call ended with.
    package var errorModel: (@Sendable (NetworkError) -> any Error)?

    package init() {}

    /// The error that a caller gets, once policies and records have got the original one.
    package func errorForCaller(_ error: any Error) -> any Error {
        // The refresh of a token is decided by the original error, too.
        guard let errorModel, let error = error as? NetworkError, CallUser.refreshers.isEmpty else { return error }
        return errorModel(error)
    }

    /// The error of a call, which shows its response's content if the client logs contents.
    func showingContent(_ error: any Error) -> any Error {
        let limit = listeners.recording.shownBytes
        guard limit > 0, var error = error as? NetworkError else { return error }
        error.response?.shownBytes = limit
        return error
    }

    /// The options in one object, which all chains of a configuration share.
    package final class Shared: Sendable {
        package let options: CallOptions
        // Copies of fields that each call reads, because reading one in the options would copy all of them.
        let deadline: Deadline
        let problem: String?
        private let clock: CallClock
        private let session: SessionSource?
        private let secrets: SecretRules
        private let template: String?
        private let counter: (any CallCounter)?
        private let otherCounters: ArraySlice<any CallCounter>?
        /// Whether each call gets a record.
        private let isRecorded: Bool

        package init(_ options: CallOptions) {
            self.options = options
            (deadline, problem, clock, session) = (options.deadline, options.problem, options.clock, options.session)
            let counters = options.listeners.counters
            (secrets, template, counter) = (options.secrets, options.template, counters.first)
            otherCounters = counters.count > 1 ? counters.dropFirst() : nil
            isRecorded = counters.isEmpty && !options.listeners.all.isEmpty
        }

        func context() -> RequestContext {
            let callDeadline = self.callDeadline
            let user = options.startingUser ?? CallUser(session)
            var context =
                if let counter {
                    RequestContext(
                        CountedCall(
                            clock: clock,
                            user: user,
                            secrets: secrets,
                            counter: counter,
                            others: otherCounters,
                            template: template
                        ),
                        deadline: callDeadline
                    )
                } else {
                    RequestContext(deadline: callDeadline, clock: clock, user: user, secrets: secrets) { call in
                        isRecorded ? options.record(of: call, deadline: callDeadline) : nil
                    }
                }
            if case .standard = deadline { context.hasStandardDeadline = true }
            return context
        }

        /// The deadline of a call that begins now.
        private var callDeadline: Duration? {
            let own = deadline.limit.map { clock.time(after: $0) }
            guard let surrounding = CallDeadline.surrounding else { return own }
            if case .none = deadline { return nil }
            let inherited = surrounding.end(by: clock)
            return own.map { min($0, inherited) } ?? inherited
        }
    }

    /// The user who is signed in now.
    package var user: CallUser { CallUser(session) }

    private func record(of call: UInt64, deadline: Duration?) -> CallRecording? {
        CallRecording(
            listeners.recording,
            call: call,
            clock: clock,
            date: date(),
            deadline: deadline,
            template: template
        )
    }
}

/// The listeners of a chain's calls, and what their records contain.
package struct CallListeners: Sendable {
    /// What is logged; nodes may be excluded before the sink is set.
    package var log: LogConfiguration? { didSet { rebuildLogFeed() } }
    package var excluded: Set<NodeID> = [] { didSet { rebuildLogFeed() } }
    /// The number of content bytes that log, errors and records show, at most 64 KiB; 0 for none.
    package var contentLimit = 0 { didSet { rebuildLogFeed() } }
    /// The other sinks.
    package var feeds: [CallFeed] = [] { didSet { assemble() } }
    /// Whether the contents of requests and responses are kept for the records.
    package var keepsBodies = false { didSet { assemble() } }
    /// What is removed from the records.
    var secrets = SecretRules.standard { didSet { assemble() } }
    private var logFeed: CallFeed?
    /// The recording options of each call, assembled once.
    private(set) var recording = CallRecording.Options()
    /// The counters, if there is no other listener.
    private(set) var counters: [any CallCounter] = []

    /// All listeners, the log among them.
    var all: [CallFeed] { recording.feeds }

    private mutating func assemble() {
        let (all, level) = (logFeed.map { [$0] + feeds } ?? feeds, min(log?.level ?? .info, .info))
        recording = CallRecording.Options(feeds: all, lineLevel: level, keepsBodies: keepsBodies)
        recording.shownBytes = min(max(contentLimit, log?.contents ?? 0, 0), CallEvent.contentLimit)
        recording.secrets = secrets
        counters = recording.feeds.allSatisfy(\.isCounter) ? recording.feeds.compactMap(\.counter) : []
    }

    private mutating func rebuildLogFeed() {
        defer { assemble() }
        guard var log else {
            logFeed = nil
            return
        }
        log.excluded.formUnion(excluded)
        log.contents = max(log.contents, contentLimit)
        logFeed = CallFeed(to: log)
    }
}
