/// A multipart form is its own entry and its own raw form.
extension MultipartModel: RequestPayload, RawEncodable, DTOEncodable {
    /// The form itself.
    public typealias Raw = MultipartModel

    /// The form itself.
    public typealias DTO = MultipartModel

    /// Returns the form.
    ///
    /// - Returns: The same form.
    public func toRaw() -> MultipartModel { self }

    /// A multipart body under a fresh boundary, whatever the encoding.
    ///
    /// - Parameters:
    ///   - encoding: Ignored: a form is always content.
    ///   - strategies: Ignored: the fields of a form are text and files.
    /// - Returns: Content and media type with the boundary.
    /// - Throws: An error if a file is missing.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
        let (contentType, body) = try encoded()
        return EncodedPayload(body: body, contentType: contentType)
    }
}
