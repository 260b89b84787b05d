public import CoreNetKitChain
public import CoreNetKitEssentials

// Common mistakes, declared so that the compiler says what to write instead. It chooses these overloads only where no available
// one fits. What it says to each is in .ci/messages.swift and on Docs/CompilerMessages.md.

// MARK: - Models, and chains that are not built or called

extension UrlChainsBuilder {
    /// The result has no suitable conformance.
    @available(
        *,
        unavailable,
        message: "what is read must be Decodable and Sendable: 'struct User: Decodable, Sendable'; or Json"
    )
    public func build<Output>() -> Chain<Void, Output> { .unavailable }

    /// The result has no suitable conformance.
    @available(
        *,
        unavailable,
        message: "what is read must be Decodable and Sendable: 'struct User: Decodable, Sendable'; or Json"
    )
    public func build<Input: Encodable & Sendable, Output>() -> Chain<Input, Output> { .unavailable }

    /// The input has no suitable conformance.
    @available(
        *,
        unavailable,
        message: "what is sent must be Encodable and Sendable; or Json, where a variable is 'Json(name)'"
    )
    public func build<Input>() -> Chain<Input, Void> { .unavailable }

    /// The input has no suitable conformance.
    @available(
        *,
        unavailable,
        message: "what is sent must be Encodable and Sendable; or Json, where a variable is 'Json(name)'"
    )
    public func build<Input, Output: Decodable & Sendable>() -> Chain<Input, Output> { .unavailable }

    /// Neither the input nor the result has a suitable conformance.
    @available(*, unavailable, message: "what is sent must be Encodable, what is read Decodable, and both Sendable")
    @_disfavoredOverload
    public func build<Input, Output>() -> Chain<Input, Output> { .unavailable }

    /// A chain is not the result of its call.
    @available(*, unavailable, message: "'build()' only makes a chain; call it: 'build().call()'")
    @_disfavoredOverload
    public func build<Output>() async throws -> Output { throw CancellationError() }

    /// A builder is not a chain.
    @available(*, unavailable, message: "build the chain first: 'build().call()'")
    public func call(_ input: Any? = nil) async throws {}

    /// A builder is not a chain.
    @available(*, unavailable, message: "build the chain first: 'build().call()'")
    @_disfavoredOverload
    public func call<Output>(_ input: Any? = nil) async throws -> Output { throw CancellationError() }

    /// A builder is not a chain.
    @available(*, unavailable, message: "build the chain first: 'build().observe()'")
    public func observe(_ input: Any? = nil) -> Observer<Void> { .emit(error: CancellationError()) }

    /// A builder is not a chain.
    @available(*, unavailable, message: "build the chain first: 'build().observe()'")
    @_disfavoredOverload
    public func observe<Output>(_ input: Any? = nil) -> Observer<Output> { .emit(error: CancellationError()) }
}

extension Chain {
    /// A chain with an input needs one.
    @available(*, unavailable, message: "this chain has an input: 'call(input)'")
    @_disfavoredOverload
    public func call() async throws -> Output { throw CancellationError() }

    fileprivate static var unavailable: Chain { Chain(AnyNode("unavailable") { _, _ in throw CancellationError() }) }
}

extension Chain where Input == Void {
    /// A chain without an input sends nothing.
    @available(
        *,
        unavailable,
        message: "this chain sends nothing; name the type of its input: 'Chain<User, User>', or say 'sending: .json'"
    )
    @_disfavoredOverload
    public func call(_ input: some Encodable) async throws -> Output { throw CancellationError() }

    /// A call has no completion handler.
    @available(*, unavailable, message: "await 'call()', or add a listener: 'observe().onCompleted { user in }'")
    @_disfavoredOverload
    public func call(_ completion: (Output) -> Void) {}

    /// A call has no completion handler.
    @available(*, unavailable, message: "await 'call()', or add a listener: 'observe().onCompleted { user in }'")
    @_disfavoredOverload
    public func process(_ completion: (Output) -> Void) {}

    /// A result has no listeners.
    @available(*, unavailable, message: "'call()' is awaited; listeners are added to 'observe()'")
    @_disfavoredOverload
    public func call() -> Observer<Output> { .emit(error: CancellationError()) }

    /// An observer is not the result.
    @available(*, unavailable, message: "'observe()' returns an observer at once; to await the result, write 'call()'")
    @_disfavoredOverload
    public func observe() async throws -> Output { throw CancellationError() }
}

extension Observer {
    /// A listener runs to its end at once.
    @available(
        *,
        unavailable,
        message: "a listener neither awaits nor throws: use 'map', or await 'call()' in a 'Task'"
    )
    @_disfavoredOverload
    @discardableResult
    public func onCompleted(_ listener: @escaping @Sendable (Model) async throws -> Void) -> Self { self }
}

// MARK: - Routes

extension UrlChainsBuilder where Route == Client.Path {
    /// The type of the routes is not known.
    @available(*, unavailable, message: "name the type of its routes: 'UrlChainsBuilder<UserRoute>(client:)'")
    @_disfavoredOverload
    public init(client: Client = .shared) {
        configuration = client.configuration
        requestSettings = client.requestSettings
    }
}

extension UrlChainsBuilder {
    /// A route needs a method.
    @available(*, unavailable, message: "name the method: 'route(.get, …)'")
    public func route(_ route: Route) -> Self { self }

    /// A limiter belongs to the client, so that its chains share it.
    @available(*, unavailable, message: "a limit holds for all calls of a client: 'Client().limit(perHost: 6)'")
    public func limit(perHost: Int?, total: Int = 64) -> Self { self }
}

extension Client {
    /// The name in other libraries.
    @available(*, unavailable, message: "write 'Client(base:)'")
    public init<Base>(baseURL: Base) { self.init() }

    /// Text of a variable is not escaped.
    @available(
        *,
        unavailable,
        message: "an id is escaped in \"/users/\\(id)\"; a path of your own is 'Client.Path(raw: path)'"
    )
    @_disfavoredOverload
    public func route(_ method: HTTPMethod, _ path: String) -> UrlChainsBuilder<Path> { UrlChainsBuilder(client: self) }

    /// A URL has no base.
    @available(*, unavailable, message: "a URL needs no base: 'UrlChainsBuilder(client: client).route(.get, url)'")
    @_disfavoredOverload
    public func route(_ method: HTTPMethod, _ url: URL) -> UrlChainsBuilder<Path> { UrlChainsBuilder(client: self) }

    /// The name in other libraries.
    @available(*, unavailable, message: "write 'route(.get, \"/users\")'")
    public func get(_ path: Path) -> UrlChainsBuilder<Path> { UrlChainsBuilder(client: self) }
}

// MARK: - Settings

extension RequestHolder {
    /// Fields have an order, and the members of a dictionary have none.
    @available(
        *,
        unavailable,
        message: "header fields have an order: write 'Headers(fields.map { ($0, $1) })', or a literal"
    )
    @_disfavoredOverload
    public func set(headers: [String: String]) -> Self { self }

    /// A model is not a query by itself.
    @available(
        *,
        unavailable,
        message: "a query is a dictionary; a GET sends a model as its query: 'build().call(filter)'"
    )
    @_disfavoredOverload
    public func set<Query>(query: Query) -> Self { self }

    /// A model is the input of a call.
    @available(
        *,
        unavailable,
        message: "the input is the body: 'build().call(user)'; bytes and files need 'import CoreNetKitStreams'"
    )
    @_disfavoredOverload
    public func set<Body>(body: Body) -> Self { self }

    /// A time has a unit.
    @available(*, unavailable, message: "write '.seconds(20)'")
    @_disfavoredOverload
    public func set(deadline: Double) -> Self { self }

    /// There is more than one timeout.
    @available(
        *,
        unavailable,
        message: "write 'set(deadline: .seconds(20))' for the call, 'set(timeouts:)' for each exchange"
    )
    @_disfavoredOverload
    public func set<Limit>(timeout: Limit) -> Self { self }

    /// JSON has a coder of its own.
    @available(*, unavailable, message: "write 'set(coding: JsonCoding(keys: .snakeCase, dates: .iso8601))'")
    @_disfavoredOverload
    public func set<Decoder>(decoder: Decoder) -> Self { self }

    /// The number of attempts is a part of a policy.
    @available(*, unavailable, message: "write 'retry(.standard)', or 'retry(RetryPolicy(limit: 3))'")
    @_disfavoredOverload
    public func retry(_ limit: Int) -> Self { self }

    /// A limit holds for each host, or in total.
    @available(*, unavailable, message: "write 'Client().limit(perHost: 6)'")
    @_disfavoredOverload
    public func limit(_ count: Int) -> Self { self }
}

extension ParametersEncoding {
    /// The name in other libraries.
    @available(*, unavailable, renamed: "formUrl")
    public static var form: ParametersEncoding { .formUrl }

    /// A form with files is a model.
    @available(
        *,
        unavailable,
        message: "send a MultipartModel: 'build().call(MultipartModel([.file(\"photo\", .url(url: file))]))'"
    )
    public static var multipart: ParametersEncoding { .json }
}

extension JsonCoding.Keys {
    /// The name in Foundation.
    @available(*, unavailable, renamed: "snakeCase")
    public static var convertFromSnakeCase: JsonCoding.Keys { .snakeCase }
}

// MARK: - Responses and errors

extension Response {
    /// The name in Foundation.
    @available(*, unavailable, renamed: "status")
    public var statusCode: Int { status }
}
