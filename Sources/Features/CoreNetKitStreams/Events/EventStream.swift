public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitJson
import CoreNetKitSystem

/// The events of a server, one by one, no faster than they are consumed.
///
/// The connection ends with ``close()``, when the stream and its iterators are released, when the reading task is cancelled,
/// or at the end mark. There is one reader at a time; a second iterator continues where the first one stopped.
public struct EventStream<Model: Sendable>: AsyncSequence, Sendable {
    /// One event with its data as a model.
    public struct Event: Sendable {
        /// The event's type; `message` if the server sent none.
        public let type: String
        /// The last id that the server gave.
        public let id: String
        /// The decoded data.
        public let model: Model
    }

    /// Reads the events in order.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: EventStream

        /// Waits for the next event.
        ///
        /// - Throws: ``/CoreNetKit/NetworkError``: `connectionLost` when the stream ended without its end mark,
        ///   `reportedByServer` for an event that is an error, `decodingFailed` for data that does not match the model,
        ///   `responseTooLarge` beyond a limit, or why no new connection could be made; the client's error model in place of
        ///   one that reports it; `CancellationError`.
        public mutating func next() async throws -> Event? {
            // Most events are already buffered: without a wait, no frame for a suspended call is needed.
            if let event = try stream.connection.ready(stream.rules), let decoded = try stream.decoded(event) {
                return decoded
            }
            return try await stream.next()
        }
    }

    let connection: EventConnection
    let read: @Sendable (ServerSentEvent) throws -> Model
    var rules = EventRules()

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// The state of the stream.
    public var state: EventStreamState { connection.states.value }

    /// The current and future states of the stream, of which only the newest is kept; ends with the stream.
    ///
    /// It does not retain the stream: take it before the loop over it, which runs in a task of its own.
    public var states: AsyncStream<EventStreamState> { connection.states.values }

    /// Ends the stream on the wire, even if other code still holds it; a waiting reader gets the end.
    public func close() { connection.closeByReader() }

    /// The id to resume from, in another stream or another process.
    public var lastEventID: String { connection.lastEventID }

    /// How many times a reconnection was tried.
    public var reconnects: Int { connection.reconnects }

    /// How many events were skipped because their data did not match the model.
    public var skipped: Int { connection.skipped }

    private func next() async throws -> Event? {
        while let event = try await connection.next(rules) {
            if let decoded = try decoded(event) { return decoded }
        }
        return nil
    }

    /// An event with its model; `nil` if it is skipped.
    private func decoded(_ event: ServerSentEvent) throws -> Event? {
        do {
            return Event(type: event.type, id: event.id, model: try read(event))
        } catch {
            if rules.skipsUnreadable, !rules.isEnd(event).isEnd {
                connection.noteSkipped()
                return nil
            }
            defer { connection.close() }
            let (place, node) = ("event \(event.type)", connection.node)
            throw NetworkError.piece(error, as: Model.self, place: place, node: node, response: connection.response)
        }
    }

    private func with(_ change: (inout EventRules) -> Void) -> EventStream {
        var copy = self
        change(&copy.rules)
        return copy
    }

    /// Ends the stream with an event of this data, which is not delivered; without it the stream counts as truncated.
    public func until(data: String) -> EventStream {
        let mark = Data(data.utf8)
        return with { $0.end = (isMark: { $0.bytes == mark }, isIncluded: false) }
    }

    /// Ends the stream with an event of this type, which may be delivered; without it the stream counts as truncated.
    public func until(type: String, isIncluded: Bool = false) -> EventStream {
        with { $0.end = (isMark: { $0.type == type }, isIncluded: isIncluded) }
    }

    /// Delivers only events of these types; the end mark and errors are still recognised.
    public func only(types: Set<String>) -> EventStream { with { $0.types = types } }

    /// Skips events whose data does not match the model, and counts them, instead of failing.
    public func skippingUnreadable() -> EventStream { with { $0.skipsUnreadable = true } }

    /// Sets when and how the stream reconnects.
    public func reconnect(_ reconnection: EventReconnection) -> EventStream { with { $0.reconnection = reconnection } }

    /// Reports comments, which keep connections alive; called by the reader, in order with the events.
    public func onComment(_ listener: @escaping @Sendable (String) -> Void) -> EventStream {
        with { $0.onComment = listener }
    }

    /// Ends the stream with an error when an event of this type arrives.
    ///
    /// Its data is the cause of the `NetworkError` with code `reportedByServer`; if it does not match the model, the
    /// decoding error is.
    public func failing<Failure: Error & Decodable>(on type: String, as failure: Failure.Type) -> EventStream {
        // Not `nil`, which would be the value `null`.
        failing(as: failure) { $0.type == type ? Json(undecoded: $0.bytes) : Json?.none }
    }

    /// Ends the stream with an error when the data of an event is an object with this member, which is not `null`.
    ///
    /// The member's value is decoded as the cause, as in ``failing(on:as:)``.
    public func failing<Failure: Error & Decodable>(onMember member: String, as failure: Failure.Type) -> EventStream {
        failing(as: failure) { event in
            guard event.data.contains(member) else { return Json?.none }
            return Json(undecoded: event.bytes)[member].flatMap { $0.isNull ? Json?.none : $0 }
        }
    }

    private func failing<Failure: Error & Decodable>(
        as type: Failure.Type,
        _ find: @escaping @Sendable (ServerSentEvent) -> Json?
    ) -> EventStream {
        let node = connection.node
        return with { rules in
            rules.failures.append { event in
                guard let json = find(event) else { return nil }
                let cause: any Error
                do { cause = try json.decode(type) } catch { cause = error }
                let words = "the server reports an error in an event of type \(event.type); the cause says which"
                return NetworkError(.reportedByServer, words, node: node, cause: cause)
            }
        }
    }
}

struct EventRules: Sendable {
    var end: (isMark: @Sendable (ServerSentEvent) -> Bool, isIncluded: Bool)?
    var types: Set<String>?
    var failures: [@Sendable (ServerSentEvent) -> NetworkError?] = []
    var skipsUnreadable = false
    var reconnection = EventReconnection.standard
    var onComment: (@Sendable (String) -> Void)?

    /// Whether the event is the end mark, and whether it is delivered.
    func isEnd(_ event: ServerSentEvent) -> (isEnd: Bool, isIncluded: Bool) {
        end.map { ($0.isMark(event), $0.isIncluded) } ?? (false, true)
    }
}

// The verbs of a stream, available before it is opened.
extension Chain {
    /// Ends the streams with an event of this data, see ``EventStream/until(data:)``.
    public func until<Model>(data: String) -> Chain where Output == EventStream<Model> {
        map { $0.until(data: data) }
    }

    /// Ends the streams with an event of this type, see ``EventStream/until(type:isIncluded:)``.
    public func until<Model>(type: String, isIncluded: Bool = false) -> Chain where Output == EventStream<Model> {
        map { $0.until(type: type, isIncluded: isIncluded) }
    }

    /// Delivers only events of these types.
    public func only<Model>(types: Set<String>) -> Chain where Output == EventStream<Model> {
        map { $0.only(types: types) }
    }

    /// Skips events whose data does not match the model, and counts them.
    public func skippingUnreadable<Model>() -> Chain where Output == EventStream<Model> {
        map { $0.skippingUnreadable() }
    }

    /// Sets when and how the streams reconnect.
    public func reconnect<Model>(_ reconnection: EventReconnection) -> Chain where Output == EventStream<Model> {
        map { $0.reconnect(reconnection) }
    }

    /// Ends a stream with an error when an event of this type arrives, see ``EventStream/failing(on:as:)``.
    public func failing<Model, Failure: Error & Decodable>(
        on type: String,
        as failure: Failure.Type
    ) -> Chain where Output == EventStream<Model> { map { $0.failing(on: type, as: failure) } }

    /// Ends a stream with an error when the data has this member, see ``EventStream/failing(onMember:as:)``.
    public func failing<Model, Failure: Error & Decodable>(
        onMember member: String,
        as failure: Failure.Type
    ) -> Chain where Output == EventStream<Model> {
        map { $0.failing(onMember: member, as: failure) }
    }
}

/// The state of an ``EventStream``.
public enum EventStreamState: Sendable, Hashable {
    /// A new connection is being opened.
    case connecting
    /// Events may arrive.
    case open
    /// The next connection is opened after this time.
    case waiting(Duration)
    /// No more events arrive.
    case closed
}
