import TestSupport

/// Stands behind a policy and records what it lets through.
struct WatchNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    enum Place {
        case breaker, limit, attempt, race, send, wire
    }

    /// Names the race that a request belongs to.
    enum Race: Attributes.Key {
        typealias Value = Int
    }

    let next: Next
    let place: Place
    let world: RandomWorld

    var successors: [any Node] { [next] }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var context = context
        let now = world.clock.now.offset
        let host = RandomWorld.urls.firstIndex(of: input.url) ?? 0
        var isProbe = false
        switch place {
        case .breaker:
            isProbe = world.breaker.isOpen
            if isProbe {
                world.record.withLock { record in
                    record.probes.enter()
                    if now < record.refusedUntil { record.problems.append("a probe before the pause is over") }
                }
            }
        case .limit:
            world.record.withLock { record in
                record.places.enter()
                record.hostPlaces[host].enter()
            }
        case .attempt: if context.attempt > 1 { world.record.withLock { $0.repeats(at: now) } }
        case .race:
            context.attributes[Race.self] = world.record.withLock { record in
                record.races.append((0, nil))
                return record.races.count - 1
            }
        case .send:
            if let race = context.attributes[Race.self] { world.record.withLock { $0.sends(input, of: race, at: now) } }
        case .wire: world.record.withLock { $0.sends(at: now) }
        }
        defer { leave(context, host, isProbe) }
        do {
            let response = try await next.process(input, context: context)
            check(context, isCancelled: false)
            return response
        } catch {
            check(context, isCancelled: error is CancellationError)
            throw error
        }
    }

    private func leave(_ context: RequestContext, _ host: Int, _ isProbe: Bool) {
        world.record.withLock { record in
            switch place {
            case .breaker: if isProbe { record.probes.now -= 1 }
            case .limit:
                record.places.now -= 1
                record.hostPlaces[host].now -= 1
            case .race:
                if let race = context.attributes[Race.self] { record.races[race].end = world.clock.now.offset }
            case .attempt, .send, .wire: break
            }
        }
    }

    /// A request whose race was over must have been cancelled.
    private func check(_ context: RequestContext, isCancelled: Bool) {
        guard case .send = place, !isCancelled, let race = context.attributes[Race.self] else { return }
        let now = world.clock.now.offset
        world.record.withLock { record in
            if let end = record.races[race].end, end < now { record.problems.append("the loser was not cancelled") }
        }
    }
}
