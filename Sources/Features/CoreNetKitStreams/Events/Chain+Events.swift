public import CoreNetKitChain

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
    ) -> Chain where Output == EventStream<Model> {
        map { $0.failing(on: type, as: failure) }
    }

    /// Ends a stream with an error when the data has this member, see ``EventStream/failing(onMember:as:)``.
    public func failing<Model, Failure: Error & Decodable>(
        onMember member: String,
        as failure: Failure.Type
    ) -> Chain where Output == EventStream<Model> {
        map { $0.failing(onMember: member, as: failure) }
    }
}
