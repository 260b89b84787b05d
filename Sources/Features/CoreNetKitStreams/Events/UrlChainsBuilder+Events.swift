public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the events of the response, their data as models.
    ///
    /// The policies apply to each connection. A limit on concurrent calls does not count streams, which are long-lived.
    public func events<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        events(options, reading(model(O.self))) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the events of the response, their data as models.
    ///
    /// The policies apply to each connection. A limit on concurrent calls does not count streams, which are long-lived.
    public func events<O: DTODecodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<Void, EventStream<O>> where O.DTO.Raw == Json {
        events(options, reading(model(O.self))) { $0.build() }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the events of the response, their data as plain models.
    @_disfavoredOverload
    public func events<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<O>> {
        events(options, reading(plainModel(O.self))) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the events of the response, their data as plain models.
    @_disfavoredOverload
    public func events<O: Decodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<Void, EventStream<O>> {
        events(options, reading(plainModel(O.self))) { $0.build() }
    }

    /// Builds a chain that sends a model and returns the events of the response as they are.
    public func rawEvents<I: DTOEncodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<ServerSentEvent>> where I.DTO.Raw: RequestPayload {
        events(options, { $0.copy }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the events of the response as they are.
    public func rawEvents(_ options: EventOptions = .init()) -> Chain<Void, EventStream<ServerSentEvent>> {
        events(options, { $0.copy }) { $0.build() }
    }

    private func reading<Model>(
        _ read: @escaping @Sendable (Data) throws -> Model
    ) -> @Sendable (ServerSentEvent) throws -> Model {
        { try read($0.bytes) }
    }

    private func events<I: Sendable, Model: Sendable>(
        _ options: EventOptions,
        _ read: @escaping @Sendable (ServerSentEvent) throws -> Model,
        _ build: @escaping @Sendable (Self) -> Chain<I, EventResponse>
    ) -> Chain<I, EventStream<Model>> {
        let builder = without(.limit)
        let pattern = build(builder.with(options.request(after: "")))
        let parts = configuration.parts
        let method = requestMethod
        let delivered: @Sendable (any Error) -> any Error = { [options = pattern.options] in options.delivered($0) }
        // The chain below is one like those of the connections, for diagrams.
        let node = AnyNode<I, EventStream<Model>>("EventsNode", successors: [pattern.head]) { input, context in
            let user = context.user
            let connection = EventConnection(
                parts,
                method: method,
                lastEventID: options.lastEventID,
                limits: options.limits,
                delivered: delivered
            ) { id in
                try await build(builder.with(options.request(after: id))).process(input, continuing: user)
            }
            try await connection.open()
            return EventStream(connection: connection, read: read)
        }
        // The calls of the connections have their own records.
        var callOptions = pattern.options
        (callOptions.listeners.log, callOptions.listeners.feeds) = (nil, [])
        callOptions.deadline = .inherited
        return Chain(head: node, options: callOptions)
    }
}
