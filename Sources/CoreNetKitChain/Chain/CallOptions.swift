package import Dispatch
package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// How a chain runs its calls: shared by all of them, made once.
package struct CallOptions: Sendable {
    /// How long a call may take.
    package enum Deadline: Sendable {
        /// 60 s; none for what is streamed, or goes to or comes from a file.
        case standard
        case limit(Duration)
        /// None, and none of the surrounding code's either.
        case none
        /// None of its own: the calls below have theirs.
        case inherited

        /// The limit of a call whose content is collected.
        package var limit: Duration? {
            switch self {
            case .standard: .seconds(60)
            case .limit(let limit): limit
            case .none, .inherited: nil
            }
        }

        /// Whether the calls below have another limit than the surrounding code.
        var changesSurroundings: Bool {
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
    /// The time of day.
    package var date: @Sendable () -> Date = { Date() }
    /// What is logged; nodes may be left out before the sink is named.
    package var log: LogConfiguration? { didSet { feedLog() } }
    package var excluded: Set<NodeID> = [] { didSet { feedLog() } }
    /// Who else gets the records of the calls.
    package var feeds: [CallFeed] = [] { didSet { listen() } }
    /// The route without what differs from call to call.
    package var template: String?
    /// Whether the contents of requests and responses are kept for the records.
    package var keepsBodies = false { didSet { listen() } }
    /// Who is signed in; `nil` where no policy knows users.
    package var session: SessionSource?
    /// Who began what the call is a part of, where it is a page of a list, a connection of a stream or a slice of a file.
    var beginner: CallUser?
    /// What is secret in the calls.
    package var secrets = SecretRules.standard { didSet { listen() } }
    private var logFeed: CallFeed?
    /// What each call records, put together once.
    private var recording = CallRecording.Options()
    /// Who counts, where nobody else listens.
    private var counters: [any CallCounter] = []
    /// What is wrong with the order of the nodes.
    package var problem: String?

    package init() {}

    /// The options in one object, which all chains of a configuration share.
    package final class Shared: Sendable {
        package let options: CallOptions
        /// Beside the options, which are copied whole for a question.
        let deadline: Deadline

        package init(_ options: CallOptions) { (self.options, deadline) = (options, options.deadline) }
    }

    /// Whoever is signed in now.
    package var user: CallUser { session.map { CallUser($0) } ?? CallUser() }

    /// When a call that begins now must have ended.
    private var end: Duration? {
        let own = deadline.limit.map { clock.time(after: $0) }
        guard let surrounding = CallDeadline.surrounding else { return own }
        if case .none = deadline { return nil }
        let inherited = surrounding.end(by: clock)
        return own.map { min($0, inherited) } ?? inherited
    }

    func context() -> RequestContext {
        let limit = end
        let user = beginner ?? user
        var context =
            counters.isEmpty
            ? RequestContext(deadline: limit, clock: clock, user: user, secrets: secrets) { call in
                guard !recording.feeds.isEmpty else { return nil }
                return CallRecording(
                    recording,
                    call: call,
                    clock: clock,
                    date: date(),
                    deadline: limit,
                    template: template
                )
            }
            : RequestContext(
                deadline: limit,
                clock: clock,
                user: user,
                secrets: secrets,
                countedBy: counters,
                template: template
            )
        if case .standard = deadline { context.hasStandardDeadline = true }
        return context
    }

    /// Everybody who listens.
    package var allFeeds: [CallFeed] { recording.feeds }

    private mutating func listen() {
        recording = CallRecording.Options(
            feeds: logFeed.map { [$0] + feeds } ?? feeds,
            lineLevel: min(log?.level ?? .info, .info),
            keepsBodies: keepsBodies,
            secrets: secrets
        )
        counters = recording.feeds.allSatisfy(\.isCounter) ? recording.feeds.compactMap(\.counter) : []
    }

    private mutating func feedLog() {
        defer { listen() }
        guard var log else {
            logFeed = nil
            return
        }
        log.excluded.formUnion(excluded)
        logFeed = CallFeed(to: log)
    }
}
