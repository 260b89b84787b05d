import Dispatch

/// Remembers what happened, in order, from any thread.
final class Recorder<Event: Sendable>: @unchecked Sendable {
    // Sendable by the queue: the events are touched only on it.
    private let queue = DispatchQueue(label: "recorder")
    private var recorded: [Event] = []

    var events: [Event] { queue.sync { recorded } }

    func record(_ event: Event) {
        queue.sync { recorded.append(event) }
    }
}
