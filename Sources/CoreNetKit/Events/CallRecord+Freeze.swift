#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitHTTP

extension CallRecord {
    /// Makes the record of a finished call: the one place where its secrets are left out.
    init(freezing state: CallRecording.State) {
        call = state.call
        chain = state.chain
        template = state.template
        startedAt = state.startedAt
        startedOn = state.startedOn
        trace = state.trace
        var events = state.events
        for index in events.indices { events[index] = events[index].redacted() }
        self.events = events
        outcome = (state.end?.outcome ?? .cancelled).redacted()
        duration = state.end?.duration ?? events.last?.time ?? .zero
        droppedEvents = state.dropped
        hints = []
    }
}

extension CallRecord.Outcome {
    func redacted() -> CallRecord.Outcome {
        guard case .failed(var failure) = self else { return self }
        failure.message = Redaction.message(failure.message)
        return .failed(failure)
    }
}

extension CallEvent {
    /// The event without the secrets that its node knew.
    func redacted() -> CallEvent {
        var copy = self
        switch kind {
        case .requestBuilt(let method, let url, let headers):
            copy.kind = .requestBuilt(method: method, url: Redaction.text(of: url), headers: Redaction.fields(headers))
        case .exchangeStarted(var sent):
            sent.url = Redaction.text(of: sent.url)
            sent.body = sent.body.flatMap { Redaction.body($0, type: sent.headers["Content-Type"]) }
            sent.headers = Redaction.fields(sent.headers)
            copy.kind = .exchangeStarted(sent)
        case .responseHead(var head):
            head.body = head.body.flatMap { Redaction.body($0, type: head.headers["Content-Type"]) }
            head.headers = Redaction.fields(head.headers)
            copy.kind = .responseHead(head)
        case .exchangeEnded(var end):
            guard let message = end.message else { break }
            end.message = Redaction.message(message)
            copy.kind = .exchangeEnded(end)
        case .redirectDecided(var decision):
            decision.target = Redaction.text(of: decision.target)
            copy.kind = .redirectDecided(decision)
        case .line(let level, let node, let message):
            copy.kind = .line(level, node, Redaction.message(message))
        case .retryDecided(var decision):
            decision.reason = decision.reason.map { Redaction.message($0) }
            copy.kind = .retryDecided(decision)
        case .callEnded(let outcome, let open):
            copy.kind = .callEnded(outcome.redacted(), open: open)
        default: break
        }
        return copy
    }
}
