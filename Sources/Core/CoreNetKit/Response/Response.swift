public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A model together with its response: `Chain<Void, Response<User>>`.
public struct Response<Model: Sendable>: Sendable {
    /// The decoded content.
    public let model: Model
    /// The status, 200...299.
    public let status: Int
    /// The field lines in wire order.
    public let headers: Headers
    /// The final URL, after redirects.
    public let url: URL
    /// The timings of the last exchange on the wire.
    public let timings: TransportTimings
    /// Values that nodes and the transport added to the response, each under its own key.
    public var attributes = Attributes()

    /// Creates a response, for tests and for custom formats.
    public init(model: Model, status: Int, headers: Headers, url: URL, timings: TransportTimings) {
        self.model = model
        self.status = status
        self.headers = headers
        self.url = url
        self.timings = timings
    }

    /// The same response with another model, which `transform` makes.
    public func map<Other: Sendable>(_ transform: (Model) throws -> Other) rethrows -> Response<Other> {
        var other = Response<Other>(
            model: try transform(model),
            status: status,
            headers: headers,
            url: url,
            timings: timings
        )
        other.attributes = attributes
        return other
    }

    init(model: Model, of response: TransportResponse) {
        self.init(
            model: model,
            status: response.status,
            headers: response.headers,
            url: response.url,
            timings: response.timings
        )
        attributes = response.attributes
    }
}

extension Response: ResponsePayload where Model: ResponsePayload {
    /// The media types that the model accepts.
    public static var accept: String { Model.accept }
    /// The delivery that the model needs.
    public static var delivery: ResponseDelivery? { Model.delivery }

    /// Reads the model and keeps the response.
    public init(response: TransportResponse) throws {
        self.init(model: try Model(response: response), of: response)
    }
}

extension Response: RawDecodable where Model: RawDecodable, Model.Raw: ResponsePayload {
    /// The raw data with its response.
    public typealias Raw = Response<Model.Raw>

    /// Maps the model.
    public static func from(raw: Response<Model.Raw>) throws -> Self { try raw.map { try Model.from(raw: $0) } }
}

extension Response: DTODecodable where Model: DTODecodable, Model.DTO.Raw: ResponsePayload {
    /// The DTO with its response.
    public typealias DTO = Response<Model.DTO>

    /// Maps the model.
    public static func from(dto: Response<Model.DTO>) throws -> Self { try dto.map { try Model.from(dto: $0) } }
}

extension Response: Decodable where Model: Decodable {
    /// Always fails with a `DecodingError`: only a chain, which knows the status, creates a response.
    ///
    /// `Response<Model>` is `Decodable` so that `build()` takes it as an output.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "only a chain can decode Response<Model>: it needs a status"
            )
        )
    }
}

/// A response with only status and fields: the output `Response<Void>`.
public protocol ContentlessResponse: Sendable {
    /// Makes the response without a model.
    init(status: Int, headers: Headers, url: URL, timings: TransportTimings)
}

extension Response: ContentlessResponse where Model == Void {
    /// Makes the response without a model.
    public init(status: Int, headers: Headers, url: URL, timings: TransportTimings) {
        self.init(model: (), status: status, headers: headers, url: url, timings: timings)
    }
}

// The descriptions of values that carry secrets, for logs: counts and types, no contents.

extension Response: CustomStringConvertible, CustomReflectable {
    /// Status, URL and the model's type on one line, without secrets; print ``model`` for its content.
    public var description: String {
        "status \(status) from \(Redaction.url(url, by: attributes.secrets)), \(headers.count) fields, \(Model.self)"
    }

    /// The unchanged model; URL and fields without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "model": model, "status": status, "url": Redaction.url(url, by: attributes.secrets),
                "headers": Redaction.lines(headers, by: attributes.secrets),
                "timings": timings,
            ],
            displayStyle: .struct
        )
    }
}

extension RequestModel: CustomStringConvertible, DescriptionOnly {
    /// Counts and the payload's type on one line.
    public var description: String { "\(metadata.count) fields, \(Payload.self)" }
}

extension RoutedRequest: CustomStringConvertible, DescriptionOnly {
    /// Method, counts and the payload's type on one line; a route may be a URL with secrets.
    public var description: String { "\(method) \(Route.self), \(metadata.count) fields, \(Payload.self)" }
}
