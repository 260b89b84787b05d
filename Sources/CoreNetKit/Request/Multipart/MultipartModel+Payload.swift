/// A multipart form is its own entry and its own raw form.
extension MultipartModel: RequestPayload, RawEncodable, DTOEncodable {
    /// The form itself.
    public typealias Raw = MultipartModel

    /// The form itself.
    public typealias DTO = MultipartModel

    /// Hands the form on.
    ///
    /// - Returns: The same form.
    public func toRaw() -> MultipartModel { self }
}
