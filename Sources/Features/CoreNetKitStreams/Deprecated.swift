public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitJson

// The overloads of 0.2 that infer how models are sent and read.

extension UrlChainsBuilder {
    /// The former form of `events(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'events(sending: .json, reading: .json)'")
    public func events<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        events(options, sending: .model, reading: .json)
    }

    /// The former form of `events(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'events(reading: .json)'")
    public func events<O: DTODecodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<Void, EventStream<O>> where O.DTO.Raw == Json {
        events(options, reading: .json)
    }

    /// The former form of `events(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'events(sending: .json, reading: .json)'")
    @_disfavoredOverload
    public func events<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<O>> {
        events(options, sending: .json, reading: .json)
    }

    /// The former form of `events(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'events(reading: .json)'")
    @_disfavoredOverload
    public func events<O: Decodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<Void, EventStream<O>> {
        events(options, reading: .json)
    }

    /// The former name of `events(_:sending:)`.
    @available(*, deprecated, message: "say how the input is sent: 'events(sending: .json)'")
    public func rawEvents<I: DTOEncodable & Sendable>(
        _ options: EventOptions = .init()
    ) -> Chain<I, EventStream<ServerSentEvent>> where I.DTO.Raw: RequestPayload {
        events(options, sending: .model)
    }

    /// The former name of `events(_:sending:)`.
    @available(*, deprecated, renamed: "events(_:)")
    public func rawEvents(
        _ options: EventOptions = .init()
    ) -> Chain<Void, EventStream<ServerSentEvent>> {
        events(options)
    }
}

extension UrlChainsBuilder {
    /// The former form of `lines(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'lines(sending: .json, reading: .json)'")
    public func lines<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        lines(options, sending: .model, reading: .json)
    }

    /// The former form of `lines(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'lines(reading: .json)'")
    public func lines<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        lines(options, reading: .json)
    }

    /// The former form of `lines(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'lines(sending: .json, reading: .json)'")
    @_disfavoredOverload
    public func lines<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        lines(options, sending: .json, reading: .json)
    }

    /// The former form of `lines(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'lines(reading: .json)'")
    @_disfavoredOverload
    public func lines<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        lines(options, reading: .json)
    }

    /// The former form of `jsonSequence(_:sending:reading:)`.
    @available(*, deprecated, message: "say how: 'jsonSequence(sending: .json, reading: .json)'")
    public func jsonSequence<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        jsonSequence(options, sending: .model, reading: .json)
    }

    /// The former form of `jsonSequence(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'jsonSequence(reading: .json)'")
    public func jsonSequence<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        jsonSequence(options, reading: .json)
    }

    /// The former form of `jsonSequence(_:sending:reading:)`.
    @available(*, deprecated, message: "say how: 'jsonSequence(sending: .json, reading: .json)'")
    @_disfavoredOverload
    public func jsonSequence<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        jsonSequence(options, sending: .json, reading: .json)
    }

    /// The former form of `jsonSequence(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'jsonSequence(reading: .json)'")
    @_disfavoredOverload
    public func jsonSequence<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        jsonSequence(options, reading: .json)
    }

    /// The former form of `elements(at:options:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'elements(sending: .json, reading: .json)'")
    public func elements<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        elements(at: path, options: options, sending: .model, reading: .json)
    }

    /// The former form of `elements(at:options:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'elements(reading: .json)'")
    public func elements<O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        elements(at: path, options: options, reading: .json)
    }

    /// The former form of `elements(at:options:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'elements(sending: .json, reading: .json)'")
    @_disfavoredOverload
    public func elements<I: Encodable & Sendable, O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        elements(at: path, options: options, sending: .json, reading: .json)
    }

    /// The former form of `elements(at:options:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'elements(reading: .json)'")
    @_disfavoredOverload
    public func elements<O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        elements(at: path, options: options, reading: .json)
    }
}

extension UrlChainsBuilder {
    /// The former form of `parts(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'parts(sending: .json, reading: .json)'")
    public func parts<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        parts(options, sending: .model, reading: .json)
    }

    /// The former form of `parts(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'parts(reading: .json)'")
    public func parts<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> where O.DTO.Raw == Json {
        parts(options, reading: .json)
    }

    /// The former form of `parts(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'parts(sending: .json, reading: .json)'")
    @_disfavoredOverload
    public func parts<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> {
        parts(options, sending: .json, reading: .json)
    }

    /// The former form of `parts(_:sending:reading:)`.
    @available(*, deprecated, message: "say how models are sent and read: 'parts(reading: .json)'")
    @_disfavoredOverload
    public func parts<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> {
        parts(options, reading: .json)
    }

    /// The former name of `parts(_:sending:reading:)` with `.data`.
    @available(*, deprecated, message: "say how parts are read: 'parts(reading: .data)'")
    public func rawParts(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<Data>> {
        parts(options, reading: .data)
    }
}

extension UrlChainsBuilder {
    /// The former form of `pages(_:_:reading:)`.
    @available(*, deprecated, message: "say how pages are read: 'pages(strategy, reading: .json)'")
    public func pages<Page: DTODecodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init()
    ) -> Pages<Page> where Page.DTO.Raw: ResponsePayload {
        pages(strategy, options, reading: .model)
    }

    /// The former form of `pages(_:_:reading:)`.
    @available(*, deprecated, message: "say how pages are read: 'pages(strategy, reading: .json)'")
    @_disfavoredOverload
    public func pages<Page: Decodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init()
    ) -> Pages<Page> {
        pages(strategy, options, reading: .json)
    }

    /// The former form of `pages(_:_:of:sending:reading:)`.
    @available(*, deprecated, message: "say how: 'pages(strategy, of: input, sending: .json, reading: .json)'")
    public func pages<I: DTOEncodable & Sendable, Page: DTODecodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        sending input: I,
        _ options: PageOptions = .init()
    ) -> Pages<Page> where I.DTO.Raw: RequestPayload, Page.DTO.Raw: ResponsePayload {
        pages(strategy, options, of: input, sending: .model, reading: .model)
    }
}
