public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

// The types that a response can be decoded as; the builder chooses by the types of its chain.

extension ResponseNode where Model: DTODecodable, Model.DTO.Raw: ResponsePayload {
    /// Creates the node of a model before `next`.
    public convenience init(next: Exchange, coding: JsonCoding = .init()) {
        self.init(next: next, requirements: ResponseRequirements(of: Model.DTO.Raw.self)) { response, context in
            let model = try Model.from(dto: try Model.dto(of: response, coding))
            context.noteDecoded(Model.self, from: response)
            return model
        }
    }
}

extension DTODecodable where DTO.Raw: ResponsePayload {
    fileprivate static func dto(of response: TransportResponse, _ coding: JsonCoding) throws -> DTO {
        let raw = try DTO.Raw.reading(response)
        do {
            return try DTO.from(raw: coding.applied(to: raw))
        } catch {
            throw NetworkError.decoding(error, as: DTO.self, of: response, by: .response)
        }
    }
}

extension ResponsePayload {
    fileprivate static func reading(_ response: TransportResponse) throws -> Self {
        do {
            return try Self(response: response)
        } catch {
            throw NetworkError.decoding(error, as: Self.self, of: response, by: .response)
        }
    }
}

extension ResponseNode where Model: Decodable {
    /// Creates the node of a plain model before `next`, without a DTO layer.
    @_disfavoredOverload
    public convenience init(next: Exchange, coding: JsonCoding = .init()) {
        // Determined once for all calls of the chain.
        let form = PlainForm(Model.self)
        self.init(next: next, requirements: ResponseRequirements(of: Json.self)) { response, context in
            let model = try form.read(try Json.reading(response), coding, of: response)
            context.noteDecoded(Model.self, from: response)
            return model
        }
    }
}

extension ResponseNode where Model: ResponsePayload {
    /// Creates the node of raw data, returned unchanged.
    convenience init(payloadOf next: Exchange) {
        self.init(next: next, requirements: ResponseRequirements(of: Model.self)) { response, _ in
            try Model(response: response)
        }
    }
}

extension ResponseNode where Model: ContentlessResponse {
    convenience init(headOf next: Exchange) {
        self.init(next: next, requirements: ResponseRequirements(of: EmptyPayload.self)) { response, _ in
            Model(status: response.status, headers: response.headers, url: response.url, timings: response.timings)
        }
    }
}

extension ResponseNode where Model == Void {
    /// Creates the node that returns nothing: the status was checked, the content is ignored.
    convenience init(statusOf next: Exchange) {
        self.init(next: next, requirements: ResponseRequirements(of: EmptyPayload.self)) { _, _ in }
    }
}

extension ResponseNode where Model == Response<URL> {
    /// Creates the node that returns the file to which a transport has written the content.
    convenience init(fileOf next: Exchange) {
        self.init(next: next, requirements: ResponseRequirements(accept: "*/*", delivery: nil)) { response, _ in
            guard case .file(let url) = response.body else {
                throw NetworkError(
                    .unsupported,
                    "the transport did not write the content to a file",
                    node: .response
                )
            }
            return Response(model: url, of: response)
        }
    }
}
