public import CoreNetKitEssentials
import CoreNetKitHTTP

extension EmptyPayload: RequestPayload {
    /// No content.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload()
    }
}

extension Json: RequestPayload {
    /// JSON in the body, or the object's members as a form or a query.
    ///
    /// - Parameters:
    ///   - encoding: Where the parameters go.
    ///   - strategies: How values are written in a query or form.
    /// - Returns: Query, content and media type.
    /// - Throws: ``RequestEncodingError`` if the value is not an object, which a form or query needs for its names, and
    ///   errors of a model that cannot be encoded.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
        switch encoding {
        case .json:
            return EncodedPayload(body: .bytes(try encoded()), contentType: "application/json")
        case .formUrl:
            let form = try strategies.form(ParameterValue(self, coding: coding))
            return EncodedPayload(
                body: .bytes(Data(form.utf8)),
                contentType: "application/x-www-form-urlencoded"
            )
        case .urlQuery:
            return EncodedPayload(query: try strategies.query(ParameterValue(self, coding: coding)))
        }
    }
}

extension Data: RequestPayload {
    /// The bytes as content, whatever the encoding.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload(body: .bytes(self), contentType: "application/octet-stream")
    }
}
