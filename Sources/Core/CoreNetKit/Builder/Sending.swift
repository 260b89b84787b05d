import CoreNetKitChain
public import CoreNetKitEssentials

/// How the input of a chain is sent: `.json`, `.text`, `.data`, `.model`, or `.nothing` for a chain without input.
///
/// Every end of the builder takes one. The type of the input is inferred from where the chain is used, or named:
///
/// ```swift
/// struct Ask: Encodable, Sendable {
///     let question: String
/// }
///
/// let answers = UrlChainsBuilder<String>().route(.post, "https://example.com/ask").loadStream(sending: .json(Ask.self))
/// ```
public struct Sending<Input: Sendable>: Sendable {
    let form: any InputForm<Input>
}

extension Sending where Input == Void {
    /// No content; the chain takes no input.
    public static var nothing: Sending { Sending(form: VoidForm()) }
}

extension Sending where Input: DTOEncodable, Input.DTO.Raw == Json {
    /// The JSON of the model's DTO, or the query or form that `encode(as:)` makes of it.
    public static var json: Sending { .model }

    /// The same for this type.
    public static func json(_ type: Input.Type) -> Sending { .model }
}

extension Sending where Input: Encodable {
    /// The JSON of a plain `Encodable`, or the query or form that `encode(as:)` makes of it.
    @_disfavoredOverload
    public static var json: Sending { Sending(form: EncodableForm()) }

    /// The same for this type.
    @_disfavoredOverload
    public static func json(_ type: Input.Type) -> Sending { Sending(form: EncodableForm()) }
}

extension Sending where Input: DTOEncodable, Input.DTO.Raw: RequestPayload {
    /// The raw data of the model's DTO, such as a ``MultipartModel`` or a format of your own.
    public static var model: Sending { Sending(form: ModelForm()) }

    /// The same for this type.
    public static func model(_ type: Input.Type) -> Sending { .model }
}

extension Sending where Input == String {
    /// The text, as `text/plain`.
    public static var text: Sending { .model }
}

extension Sending where Input == Data {
    /// The bytes, as `application/octet-stream`.
    public static var data: Sending { .model }
}

// Overloads for the compiler's messages about types that do not fit; none of them can be called.
extension Sending {
    /// Not for this type.
    @available(*, unavailable, message: "what is sent as JSON must be Encodable: 'struct Model: Codable, Sendable'")
    public static var json: Sending { json(Input.self) }

    /// Not for this type.
    @available(*, unavailable, message: "what is sent as JSON must be Encodable: 'struct Model: Codable, Sendable'")
    public static func json(_ type: Input.Type) -> Sending { json }

    /// Not for this type.
    @available(*, unavailable, message: "what is sent must be DTOEncodable; for a plain Encodable write '.json'")
    public static var model: Sending { json }

    /// Not for this type.
    @available(*, unavailable, message: "what is sent must be DTOEncodable; for a plain Encodable write '.json'")
    public static func model(_ type: Input.Type) -> Sending { json }

    /// Not for this type.
    @available(*, unavailable, message: "'.text' sends a String: for a model write '.json'")
    public static var text: Sending { json }

    /// Not for this type.
    @available(*, unavailable, message: "'.data' sends a Data: for a model write '.json'")
    public static var data: Sending { json }
}

/// Makes the nodes before the request, whose types depend on that of the input.
protocol InputForm<Input>: Sendable {
    associatedtype Input: Sendable

    /// From the input to the node that reads the response.
    func head<R, Output: Sendable>(of builder: UrlChainsBuilder<R>, before reader: Reader<Output>) -> any Node<
        Input, Output
    >
}

private struct VoidForm: InputForm {
    func head<R, Output: Sendable>(of builder: UrlChainsBuilder<R>, before reader: Reader<Output>) -> any Node<
        Void, Output
    > {
        builder.sendingNothing(through: builder.core(reader))
    }
}

private struct ModelForm<Input: DTOEncodable & Sendable>: InputForm where Input.DTO.Raw: RequestPayload {
    func head<R, Output: Sendable>(of builder: UrlChainsBuilder<R>, before reader: Reader<Output>) -> any Node<
        Input, Output
    > {
        builder.sending(Input.self, through: builder.core(reader))
    }
}

private struct EncodableForm<Input: Encodable & Sendable>: InputForm {
    func head<R, Output: Sendable>(of builder: UrlChainsBuilder<R>, before reader: Reader<Output>) -> any Node<
        Input, Output
    > {
        builder.encoding(Input.self, through: builder.core(reader))
    }
}
