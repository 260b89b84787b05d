public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitEssentials

extension UrlChainsBuilder {
    /// Builds a chain that returns the events of the response, their data as models.
    ///
    /// The input is sent and the policies apply on each connection; without `sending` the chain takes no input. A limit on
    /// concurrent calls does not count streams, which are long-lived.
    /// ```swift
    /// struct Price: Decodable, Sendable {
    ///     let amount: Double
    /// }
    ///
    /// let prices = UrlChainsBuilder<String>().route(.get, "https://example.com/prices").events(reading: .json(Price.self))
    /// ```
    public func events<Input, Model>(
        _ options: EventOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, EventStream<Model>> {
        let read = reading.piece(coding)
        return events(options, sending) { try read($0.bytes) }
    }

    /// Builds a chain that returns the events of the response as they are.
    public func events<Input>(
        _ options: EventOptions = .init(),
        sending: Sending<Input> = .nothing
    ) -> Chain<Input, EventStream<ServerSentEvent>> { events(options, sending) { $0.copy } }

    private func events<Input, Model>(
        _ options: EventOptions,
        _ sending: Sending<Input>,
        _ read: @escaping @Sendable (ServerSentEvent) throws -> Model
    ) -> Chain<Input, EventStream<Model>> {
        let builder = without(.limit)
        let connect: @Sendable (String) -> Chain<Input, StreamedResponse> = { id in
            builder.with(options.request(after: id))
                .build(sending: sending, reading: StreamedResponse.reading(EventConnection.mediaType))
        }
        let pattern = connect("")
        let parts = configuration.parts
        let (method, errorForCaller) = (requestMethod, pattern.options.errorForCaller)
        // The chain below is one like those of the connections, for diagrams.
        let node = AnyNode<Input, EventStream<Model>>("EventsNode", successors: [pattern.head]) { input, context in
            let user = context.user
            let connection = EventConnection(
                parts,
                method: method,
                lastEventID: options.lastEventID,
                limits: options.limits,
                errorForCaller: errorForCaller
            ) { id in try await connect(id).process(input, continuing: user) }
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
