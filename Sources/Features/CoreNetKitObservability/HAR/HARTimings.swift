import CoreNetKitHTTP

/// The phases of an entry as HAR defines them, in whole microseconds: -1 if it did not happen or is unknown.
struct HARTimings {
    let blocked: Int64?
    let dns: Int64?
    /// Includes TLS, as in HAR.
    let connect: Int64?
    let ssl: Int64?
    let send: Int64
    let wait: Int64
    let receive: Int64
    /// The required phases that were not measured.
    let unknown: [String]

    init(_ exchange: CallTimeline.Exchange) {
        guard let timings = exchange.timings else {
            // Only the total is known.
            blocked = max(exchange.duration.microseconds, 0)
            (dns, connect, ssl, send, wait, receive) = (nil, nil, nil, 0, 0, 0)
            unknown = ["send", "wait", "receive"]
            return
        }
        func part(_ duration: Duration?) -> Int64? { duration.map { max($0.microseconds, 0) } }
        let isReused = timings.isConnectionReused == true
        blocked = part(timings.queue)
        dns = isReused ? nil : part(timings.resolve)
        ssl = isReused ? nil : part(timings.tls)
        connect = isReused ? nil : part(timings.connect).map { $0 + (part(timings.tls) ?? 0) }
        send = part(timings.send) ?? 0
        wait = part(timings.firstByte) ?? 0
        var unknown: [String] = []
        if timings.send == nil { unknown.append("send") }
        if timings.firstByte == nil { unknown.append("wait") }
        if exchange.isReadByCaller {
            // A stream, timed by the call's clock: the rest of the total.
            let before = [blocked, dns, connect, send, wait].compactMap { $0 }.reduce(0, +)
            receive = max(exchange.duration.microseconds - before, 0)
        } else if let receive = part(timings.receive) {
            self.receive = receive
        } else {
            receive = 0
            unknown.append("receive")
        }
        self.unknown = unknown
    }

    /// The exact sum of the phases; `ssl` is part of `connect`.
    var total: Int64 { [blocked, dns, connect, send, wait, receive].compactMap { $0 }.reduce(0, +) }
}
