import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    /// Asks those who came new whether there is anything to do: what was wanted before there was an outbox becomes an entry.
    func askNewErrands() async {
        for errand in errands.takeNew() {
            do {
                guard let isDue = try errand.isDue() else {
                    errands.remove(errand)
                    continue
                }
                if isDue { try await store(errand: errand.name) }
            } catch {
                // It cannot be told, or stored, now: asked again the next time.
                errands.putBack(errand)
            }
        }
    }

    /// Makes an errand an entry, if that can be done now.
    func request(errand name: String) async {
        do { try await store(errand: name) } catch {
            report(.storage("the errand \(name) is not stored: \(error)"))
            publish()
        }
    }

    /// Makes an errand an entry: the one that it is already, a dead one anew.
    func store(errand name: String) async throws {
        try ready()
        let head = EntryHead(errand: name, made: time.moment())
        if let entry = box[head.id] {
            if entry.state.isForSomebodyToDecide { try revive(head.id) }
            return
        }
        _ = try await store(head, [])
    }

    /// Notes what came of an errand that was carried out outside its turn.
    func settle(errand name: String, _ outcome: OutboxErrand.Outcome) {
        guard hold.role == .delivering, let entry = box[OutboxErrand.entryID(name)] else { return }
        switch entry.state {
        case .waiting: if let job = begin(entry.number) { finish(job, outcome) }
        // Its turn has come meanwhile; whoever knew how may be gone before it begins.
        case .sending: flights.settledMeanwhile[name] = outcome
        default: break
        }
    }

    /// Notes what came of an errand; `nil` when nobody knows how to do it any more.
    func finish(_ job: DeliveryJob, _ outcome: OutboxErrand.Outcome?) {
        let meanwhile = flights.settledMeanwhile.removeValue(forKey: job.entry.kind)
        switch outcome ?? meanwhile {
        case .done:
            finish(job, .delivered(204), TransportResponse(status: 204, headers: [:], url: job.request.url))
        case .unreachable(let text): finish(job, .whenConnected(text), nil)
        case .later(let text, let retryAfter):
            let asked = DeliveryOutcome.response(status: 503, retryAfter: retryAfter, contentType: nil)
            guard case .later(let pause, _) = verdict(on: asked, of: job) else {
                return finish(job, .heldBack(.zero), nil)
            }
            finish(job, .later(pause, isKnownHarmless: true), nil, text: text)
        case .refused(let text): finish(job, .dead(text), nil)
        case nil: finish(job, .heldBack(.zero), nil)
        }
    }
}

extension EntryHead {
    /// The entry of an errand: a name in place of a request.
    init(errand name: String, made: WallMoment) {
        let id = OutboxErrand.entryID(name)
        self.init(
            id: id,
            queue: name,
            kind: name,
            // A version that knows no errands takes it for a request that cannot be sent.
            method: "ERRAND",
            url: "errand:\(id.uuidString)",
            fields: [:],
            made: made,
            repetition: .harmless
        )
        isErrand = true
    }
}
