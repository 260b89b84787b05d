public import CoreNetKitHTTP

/// One thing that happened in a call: what, when, and in which attempt and exchange.
///
/// Nodes record events with `context.note(…)`; every start has exactly one end. Names and texts are created only when a
/// record is shown or exported, so that recording an event costs little.
public struct CallEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The call began; `remaining` is the time to its deadline.
        case callStarted(remaining: Duration?)
        /// The request is complete, as it enters the policies.
        case requestBuilt(method: HTTPMethod, url: String, headers: Headers)
        /// The decision of the cache.
        indirect case cacheOutcome(CacheOutcome)
        /// The call shares the exchange of another one; `waiting` is the number of all calls that share it.
        case joined(call: UInt64, waiting: Int)
        /// The call waits on purpose.
        case waitStarted(Wait)
        /// The wait is over.
        case waitEnded(Wait.Kind, Wait.End)
        /// An attempt began; its number is the event's `CallEvent.attempt`.
        case attemptStarted
        /// The attempt is over.
        case attemptEnded(AttemptEnd)
        /// A request goes to the wire.
        indirect case exchangeStarted(SentRequest)
        /// The timings of the exchange on the wire, as far as they are known.
        indirect case phases(TransportTimings)
        /// The head of the response has arrived.
        indirect case responseHead(ReceivedHead)
        /// The total number of content bytes that have been read.
        case bodyProgress(Int64)
        /// A WebSocket message was sent or received; recorded if the recorder keeps contents.
        indirect case socketMessage(SocketMessage)
        /// The exchange is over: its content was read or abandoned.
        indirect case exchangeEnded(ExchangeEnd)
        /// Whether the failed attempt is repeated, and why.
        indirect case retryDecided(RetryDecision)
        /// Whether the redirect is followed, and where to.
        indirect case redirectDecided(RedirectDecision)
        /// There was no response after this time: a second request is sent.
        case hedgeStarted(after: Duration)
        /// A server was chosen among several, or its health has changed.
        indirect case endpointDecided(EndpointDecision)
        /// The content became a model.
        case decoded(Any.Type, bytes: Int)
        /// The content could not become a model; the message says where.
        case decodeFailed(Any.Type, message: String)
        /// A line of your own node.
        case line(LogLevel, NodeID, String)
        /// The call ended, as its caller sees it; `open` exchanges are still being read.
        indirect case callEnded(CallRecord.Outcome, open: Int)
    }

    /// What happened.
    public internal(set) var kind: Kind
    let nanoseconds: Int64
    let location: Location

    /// The time since the call's start, on the clock of its client.
    public var time: Duration { .nanoseconds(nanoseconds) }
    /// Which attempt it belongs to, counted from 1.
    public var attempt: Int { location.attempt }
    /// Which of an attempt's parallel requests it belongs to: 0 for the first, 1 for the hedged one.
    public var branch: Int { location.branch }
    /// Which exchange of the call it belongs to, counted from 1; 0 for none.
    public var exchange: Int { location.exchange }
    /// Its depth below the call: attempts and redirects nest.
    public var depth: Int { location.depth }

    package init(_ kind: Kind, at nanoseconds: Int64, _ location: Location) {
        self.kind = kind
        self.nanoseconds = nanoseconds
        self.location = location
    }

    /// The position of an event in its call, in few bytes: a call has about twenty events.
    package struct Location: Sendable {
        private let attemptNumber: Int16
        private var exchangeNumber: Int16
        private let branchNumber: Int8
        private let depthNumber: Int8

        package init(attempt: Int = 1, branch: Int = 0, exchange: Int = 0, depth: Int = 0) {
            attemptNumber = Int16(clamping: attempt)
            exchangeNumber = Int16(clamping: exchange)
            branchNumber = Int8(clamping: branch)
            depthNumber = Int8(clamping: depth)
        }

        package var attempt: Int { Int(attemptNumber) }
        package var branch: Int { Int(branchNumber) }
        package var depth: Int { Int(depthNumber) }
        package var exchange: Int {
            get { Int(exchangeNumber) }
            set { exchangeNumber = Int16(clamping: newValue) }
        }
    }
}
