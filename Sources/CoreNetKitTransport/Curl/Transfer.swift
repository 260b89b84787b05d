#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One call of `send`, from the calling task to the owner thread and back.
    ///
    /// `@unchecked Sendable`: it is handed over. The calling task fills it and suspends, the owner thread works on it,
    /// the resumed task reads it; the mailbox's lock and the continuation order the three.
    final class Transfer: @unchecked Sendable {
        enum Stage {
            case new
            case waiting
            case running
            case done
        }

        let destination: Destination
        let plan: TransferPlan
        let limits: TransferLimits
        let url: URL
        let isReplayable: Bool
        let collectLimit: Int
        let queuedAt = MonotonicTime.now()

        // The owner thread's.
        var stage = Stage.new
        var isCancelled = false
        var hasRetried = false
        /// Whether a request may have reached the server on an earlier connection.
        var wasSentBefore = false
        var startedAt: Int64 = 0
        var slot: CurlSlot?
        var host: ConnectionLimiter.Host?
        var continuation: UnsafeContinuation<Void, Never>?

        // The outcome, for the resumed task.
        var failure: (any Error)?
        var status: Int32 = 0
        var head = RawBytes()
        var body = Data()
        var timings = RawTimings()

        init(_ request: TransportRequest) throws(TransportError) {
            destination = try Destination(request.url)
            limits = try TransferLimits(request.timeouts)
            url = request.url
            isReplayable = request.body.isReplayable
            guard case .collect(let limit) = request.delivery else {
                throw TransportError(.unsupported, phase: .queue, message: "CurlTransport collects only so far")
            }
            collectLimit = limit
            plan = try TransferPlan(request, url: destination.url)
        }

        deinit {
            head.free()
            plan.wire.free()
        }

        /// What `send` returns or throws, once the owner thread is done.
        func response() throws -> TransportResponse {
            if let failure { throw failure }
            return TransportResponse(
                status: Int(status),
                headers: Headers(fields: HeadParser.fields(in: head.buffer)),
                body: .bytes(body),
                url: url,
                timings: timings.timings
            )
        }
    }

    /// The limits of one exchange in nanoseconds.
    struct TransferLimits {
        let connect: Int64
        let firstByte: Int64
        let idle: Int64
        let total: Int64

        init(_ timeouts: Timeouts) throws(TransportError) {
            connect = try TransferLimits.checked(timeouts.connect, "connect")
            firstByte = try TransferLimits.checked(timeouts.firstByte, "firstByte")
            idle = try TransferLimits.checked(timeouts.idle, "idle")
            total = try TransferLimits.checked(timeouts.total, "total")
        }

        /// The soonest that any limit can strike when each began now.
        var shortest: Int64 { min(min(connect, firstByte), min(idle, total)) }

        private static func checked(_ limit: Duration?, _ name: String) throws(TransportError) -> Int64 {
            guard let limit else { return MonotonicTime.never }
            guard limit > .zero else {
                throw FieldCheck.invalid("the timeout \(name) is not above zero; nil means no limit")
            }
            return MonotonicTime.nanoseconds(limit)
        }
    }
#endif
