import CoreNetKit
import Foundation

struct User: Codable, Sendable {
    let name: String
}
struct Plain: Sendable {
    let name: String
}
func show(_ user: User) {}
enum UserRoute: UrlRouteProvider {
    case users
    func url() throws -> URL { try "https://example.com/users".url() }
}
// ---- Models
// a model without a conformance, as the result
// says: what is read must be Decodable and Sendable
func mistake() async throws -> Plain { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a model without a conformance, of an observer
// says: what is read must be Decodable and Sendable
func mistake() -> Observer<Plain> { UrlChainsBuilder().route(.get, "https://example.com").build().process() }
// ----
// a model without a conformance, of a listener
// says: what is read must be Decodable and Sendable
func mistake() {
    UrlChainsBuilder().route(.get, "https://example.com").build().process().onCompleted { (plain: Plain) in print(plain) }
}
// ----
// an array of a model without a conformance
// says: what is read must be Decodable and Sendable
func mistake() async throws -> [Plain] { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a response of a model without a conformance
// says: what is read must be Decodable and Sendable
func mistake() async throws -> Response<Plain> { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a dictionary of anything as the result
// says: what is read must be Decodable and Sendable
func mistake() async throws -> [String: Any] { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// any Decodable as the result
// says: what is read must be Decodable and Sendable
func mistake() async throws -> any Decodable { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a generic result without constraints
// says: what is read must be Decodable and Sendable
func mistake<Model>(_ url: String) async throws -> Model { try await UrlChainsBuilder().route(.get, url).build().call() }
// ----
// a model without a conformance, as the input
// says: what is sent must be Encodable and Sendable
func mistake() async throws -> User {
    try await UrlChainsBuilder().route(.post, "https://example.com").build().call(Plain(name: "Ada"))
}
// ----
// a dictionary of anything as the input
// says: what is sent must be Encodable and Sendable
func mistake(body: [String: Any]) async throws -> User {
    try await UrlChainsBuilder().route(.post, "https://example.com").build().call(body)
}
// ----
// a variable in a literal as the input
// says: where a variable is 'Json(name)'
func mistake(name: String) async throws -> User {
    try await UrlChainsBuilder().route(.post, "https://example.com").build().call(["name": name, "tags": ["a"]])
}
// ----
// a part of a model without a conformance
// says: 'Plain' does not conform to 'Decodable'
struct Order: Decodable, Sendable {
    let plain: Plain
}
// ----
// a class as a model
// says: does not conform to the 'Sendable' protocol
final class Session: Codable {
    var name = ""
}
func mistake() async throws -> Session { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a public model that is not declared Sendable
// says: does not conform to the 'Sendable' protocol
public struct Shared: Codable {
    let name: String
}
func mistake() async throws -> Shared { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ----
// a model on the main actor
// left: the fix is in the words of the language
// flags: -default-isolation MainActor
// says: main actor-isolated conformance of 'User' to 'Decodable'
func mistake() async throws -> User { try await UrlChainsBuilder().route(.get, "https://example.com").build().call() }
// ---- Calls
// no type is named for the result
// says: add an explicit type annotation
func mistake() async throws {
    let user = try await UrlChainsBuilder().route(.get, "https://example.com").build().call()
    show(user)
}
// ----
// no type is named for the result of an observer
// says: this call has no result: name its type
func mistake() { UrlChainsBuilder().route(.get, "https://example.com").build().observe().onCompleted { user in print(user) } }
// ----
// a member of a result for which no type is named
// says: this call has no result: name its type
func mistake() { UrlChainsBuilder().route(.get, "https://example.com").build().process().onCompleted { user in print(user.name) } }
// ----
// a result for which no type is named is passed on
// says: this call has no result: name its type
func mistake(observer: Observer<Void>) { observer.onCompleted { user in show(user) } }
// ----
// no type is named for the result of a chain
// says: this chain has no result; name its type
func mistake() async throws -> User {
    let chain = UrlChainsBuilder().route(.get, "https://example.com").build()
    return try await chain.call()
}
// ----
// a builder is called
// says: build the chain first: 'build().call()'
func mistake() async throws -> User { try await UrlChainsBuilder().route(.get, "https://example.com").call() }
// ----
// a builder is observed
// says: build the chain first: 'build().observe()'
func mistake() { UrlChainsBuilder().route(.get, "https://example.com").observe().onCompleted { print("done") } }
// ----
// a chain is not called
// says: 'build()' only makes a chain; call it
func mistake() async throws -> User { try await UrlChainsBuilder().route(.get, "https://example.com").build() }
// ----
// a chain without input gets one
// says: this chain sends nothing; name the type of its input
func mistake(chain: Chain<Void, User>) async throws -> User { try await chain.call(User(name: "Ada")) }
// ----
// a chain with input gets none
// says: this chain has an input: 'call(input)'
func mistake(chain: Chain<User, User>) async throws -> User { try await chain.call() }
// ----
// a completion handler
// says: await 'call()', or add a listener
func mistake(chain: Chain<Void, User>) { chain.call { user in show(user) } }
// ----
// a listener of an awaited call
// says: listeners are added to 'observe()'
func mistake(chain: Chain<Void, User>) { chain.call().onCompleted { user in show(user) } }
// ----
// an observer is awaited
// says: to await the result, write 'call()'
func mistake(chain: Chain<Void, User>) async throws -> User { try await chain.observe() }
// ----
// the observer of a call is dropped
// says: result of call to 'observe()' is unused
func mistake(chain: Chain<Void, User>) { chain.observe() }
// ----
// no await
// says: not marked with 'await'
func mistake(chain: Chain<Void, User>) async throws -> User {
    let user: User = try chain.process()
    return user
}
// ----
// no try
// says: not marked with 'try'
func mistake(chain: Chain<Void, User>) async -> User { await chain.call() }
// ----
// a call in a function that is not async
// says: 'async' call in a function that does not support concurrency
func mistake(chain: Chain<Void, User>) throws -> User { try await chain.call() }
// ----
// another result than the chain gives
// says: of type 'User' to return type '[User]'
func mistake(chain: Chain<Void, User>) async throws -> [User] { try await chain.call() }
// ----
// no map, where another value is wanted
// says: 'Observer<User>' to return type 'Observer<String>'
func mistake() -> Observer<String> {
    let users: Chain<Void, User> = UrlChainsBuilder().route(.get, "https://example.com").build()
    return users.observe()
}
// ---- Ends
// a model without a conformance is read as JSON
// says: what is read as JSON must be Decodable
func mistake() async throws -> Plain { try await UrlChainsBuilder().route(.get, "https://example.com").build(reading: .json).call() }
// ----
// a model without a conformance is sent as JSON
// says: what is sent as JSON must be Encodable
func mistake(builder: UrlChainsBuilder<String>) async throws -> Data {
    try await builder.loadData(sending: .json).call(Plain(name: "Ada"))
}
// ----
// a plain model is sent as one with a DTO
// says: for a plain Encodable write '.json'
func mistake(builder: UrlChainsBuilder<String>) async throws -> Data {
    try await builder.loadData(sending: .model).call(User(name: "Ada"))
}
// ----
// a plain model is read as one with a DTO
// says: for a plain Decodable write '.json'
func mistake(builder: UrlChainsBuilder<String>) async throws -> User { try await builder.build(reading: .model).call() }
// ----
// a model is read as text
// says: '.text' reads a String
func mistake(builder: UrlChainsBuilder<String>) async throws -> User { try await builder.build(reading: .text).call() }
// ----
// a model is read from the status
// says: '.status' reads nothing
func mistake(builder: UrlChainsBuilder<String>) async throws -> User { try await builder.build(reading: .status).call() }
// ----
// it is not said how the output is read
// says: missing argument for parameter 'reading'
func mistake(builder: UrlChainsBuilder<String>) -> Chain<User, User> { builder.build(sending: .json) }
// ----
// no type is named for what is read
// left: the message is the language's own
// says: generic parameter 'Output' could not be inferred
func mistake(builder: UrlChainsBuilder<String>) { print(builder.build(reading: .json)) }
// ---- Routes
// no type of routes is known
// says: name the type of its routes
func mistake() async throws -> User { try await UrlChainsBuilder().build().call() }
// ----
// a stored builder without a type of routes
// says: name the type of its routes
struct Service {
    let builder = UrlChainsBuilder(client: Client.shared)
    func user() async throws -> User { try await builder.route(.get, "https://example.com").build().call() }
}
// ----
// a case of routes whose type is not named
// left: the compiler looks for the case first
// says: has no member 'users'
func mistake() async throws -> [User] { try await UrlChainsBuilder(client: Client()).route(.get, .users).build().call() }
// ----
// a route of another enum
// says: 'OrderRoute' to expected argument type 'UserRoute'
enum OrderRoute: UrlRouteProvider {
    case orders
    func url() throws -> URL { try "https://example.com/orders".url() }
}
func mistake() async throws -> [User] { try await UrlChainsBuilder<UserRoute>().route(.get, OrderRoute.orders).build().call() }
// ----
// a route without try
// says: operator can throw
enum PhotoRoute: UrlRouteProvider {
    case photos
    func url() throws -> URL { URL(string: "https://example.com") + "/photos" }
}
// ----
// the URL of a route as a property
// says: requires function 'url()'
enum PhotoRoute: UrlRouteProvider {
    case photos
    var url: URL? { URL(string: "https://example.com/photos") }
}
// ----
// an optional URL
// says: must be unwrapped
func mistake() async throws -> User { try await UrlChainsBuilder().route(.get, URL(string: "https://example.com")).build().call() }
// ----
// no method
// says: name the method
func mistake() async throws -> User { try await UrlChainsBuilder().route("https://example.com").build().call() }
// ----
// an optional in a path
// says: an optional in a path: unwrap it first
func mistake(id: String?) async throws -> User {
    try await Client(base: "https://example.com").route(.get, "/users/\(id)").build().call()
}
// ----
// a model in a path
// says: a path takes texts, numbers and UUIDs
func mistake(user: User) async throws -> User {
    try await Client(base: "https://example.com").route(.get, "/users/\(user)").build().call()
}
// ----
// text of a variable as a path
// says: a path of your own is 'Client.Path(raw: path)'
func mistake(path: String) async throws -> User { try await Client(base: "https://example.com").route(.get, path).build().call() }
// ---- Settings
// a field without a value
// says: 'String?' to expected dictionary value type 'String'
func mistake(token: String?) -> Client { Client().set(headers: ["X-Token": token]) }
// ----
// a dictionary as header fields
// says: header fields have an order
func mistake(fields: [String: String]) -> Client { Client().set(headers: fields) }
// ----
// a deadline without a unit
// says: write '.seconds(20)'
func mistake() -> Client { Client().set(deadline: 20) }
// ----
// a timeout, of which there are several
// says: write 'set(deadline: .seconds(20))'
func mistake() -> Client { Client().set(timeout: 20) }
// ----
// a retry with a bare number
// says: write 'retry(.standard)'
func mistake() -> Client { Client().retry(3) }
// ----
// an encoding by another name
// says: 'form' has been renamed to 'formUrl'
func mistake() -> Client { Client().encode(as: .form) }
// ----
// a model as a query
// says: a GET sends a model as its query
func mistake(user: User) -> Client { Client().set(query: user) }
// ----
// a model as a body
// says: the input is the body
func mistake(user: User) -> UrlChainsBuilder<String> { UrlChainsBuilder().route(.post, "https://example.com").set(body: user) }
// ----
// a decoder of Foundation
// says: write 'set(coding:
func mistake() -> Client { Client().set(decoder: JSONDecoder()) }
// ----
// a changed copy that is dropped
// says: result of call to 'set(query:)' is unused
func mistake(builder: UrlChainsBuilder<String>) { builder.set(query: ["max": 20]) }
// ---- Responses and errors
// a status by another name
// says: 'statusCode' has been renamed to 'status'
func mistake(response: Response<User>) -> Int { response.statusCode }
// ----
// an error whose type is not known
// says: 'any Error' has no member 'code'
// left: an extension of ours on every error would show there, too
func mistake(chain: Chain<Void, User>) async { do { show(try await chain.call()) } catch { print(error.code) } }
// ----
// the error of onError is taken for a text
// says: 'String' conform to 'Error'
func mistake(chain: Chain<Void, User>) { chain.observe().onError { (error: String) in _ = error } }
// ----
// an error as a case of an enum
// left: any name may stand there
// says: 'NetworkError' has no member 'notFound'
func mistake(chain: Chain<Void, User>) async throws { do { show(try await chain.call()) } catch NetworkError.notFound {} }
// ----
// a typed throw
// left: the language converts no errors
// says: 'any Error' cannot be converted to error type 'NetworkError'
func mistake(chain: Chain<Void, User>) async throws(NetworkError) -> User { try await chain.call() }
// ---- Concurrency
// a listener that holds a screen which is not Sendable
// says: class 'Screen' does not conform to the 'Sendable' protocol
final class Screen {
    var name = ""
    func load(chain: Chain<Void, User>) {
        chain.observe().onCompleted { [weak self] user in self?.name = user.name }
    }
}
// ----
// a completion handler that is not Sendable
// says: a function type must be marked '@Sendable'
func mistake(chain: Chain<Void, User>, completion: @escaping (Result<User, any Error>) -> Void) {
    chain.observe().onCompleted { completion(.success($0)) }
}
// ----
// a listener that awaits
// says: a listener neither awaits nor throws
func mistake(chain: Chain<Void, User>) { chain.observe().onCompleted { _ in try await Task.sleep(for: .seconds(1)) } }
// ----
// a listener that changes a variable of before
// left: a rule of the language
// says: mutation of captured var
func mistake(chain: Chain<Void, User>) {
    var count = 0
    chain.observe().onCompleted { _ in count += 1 }
}
// ----
// a task that holds a class which is not Sendable
// left: a rule of the language
// says: risks causing data races
final class Model {
    var user: User?
}
func mistake(chain: Chain<Void, User>) async throws {
    let model = Model()
    Task.detached { model.user = try await chain.call() }
    model.user = nil
}
// ---- Imports
// a node without its import
// says: is unavailable: import CoreNetKitChain
func mistake(first: any Node<Void, User>) -> Chain<Void, User> { Chain(first) }
// ----
// a type of a module that is not imported
// left: a second declaration of the name would be ambiguous
// says: cannot find 'MockTransport' in scope
func mistake() -> Client { Client(transport: MockTransport()) }
// ----
// a verb of a module that is not imported
// left: its result has a type of that module
// says: has no member 'events'
func mistake(builder: UrlChainsBuilder<String>) async throws {
    for try await event in try await builder.events().call() { print(event) }
}
