import CoreNetKit

struct User: Codable, Sendable {
    let name: String
}
struct Plain: Sendable {
    let name: String
}
func show(_ user: User) {}
// ----
// a model without a conformance, as the result
// says: Plain
func mistake() async throws -> Plain {
    try await UrlChainsBuilder().route(.get, "https://example.com").build().process()
}
// ----
// a model without a conformance, as the input
// says: Plain
func mistake() async throws -> User {
    try await UrlChainsBuilder().route(.post, "https://example.com").build().process(Plain(name: "Ada"))
}
// ----
// a model without a conformance, of an observer
// says: Plain
func mistake() -> Observer<Plain> {
    UrlChainsBuilder().route(.get, "https://example.com").build().process()
}
// ----
// an array of a model without a conformance
// says: Plain
func mistake() async throws -> [Plain] {
    try await UrlChainsBuilder().route(.get, "https://example.com").build().process()
}
// ----
// another result than the chain gives
// says: User
func mistake(chain: Chain<Void, User>) async throws -> [User] {
    try await chain.process()
}
// ----
// no await
// says: await
func mistake(chain: Chain<Void, User>) async throws -> User {
    let user: User = try chain.process()
    return user
}
// ----
// no try
// says: try
func mistake(chain: Chain<Void, User>) async -> User {
    await chain.process()
}
// ----
// an encoding that there is not
// says: xml
func mistake() async throws -> User {
    try await UrlChainsBuilder().route(.post, "https://example.com").encode(as: .xml).build().process(User(name: "Ada"))
}
// ----
// a chain without input gets a body
// says: of type 'User'
func mistake(chain: Chain<Void, User>) async throws -> User {
    try await chain.process(User(name: "Ada"))
}
// ----
// a chain with input gets none
// says: 'User' and '()'
func mistake(chain: Chain<User, User>) async throws -> User {
    try await chain.process()
}
// ----
// no map, where another value is wanted
// says: User
func mistake() -> Observer<String> {
    let users: Chain<Void, User> = UrlChainsBuilder().route(.get, "https://example.com").build()
    return users.process()
}
// ----
// a listener that changes a variable of before
// says: captured var
func mistake(chain: Chain<Void, User>) {
    var count = 0
    chain.process().onCompleted { _ in count += 1 }
}
// ----
// a listener that holds a class which is not Sendable
// says: Sendable
final class Model {
    var user: User?
}
func mistake(chain: Chain<Void, User>) async throws {
    let model = Model()
    Task.detached { model.user = try await chain.process() }
    model.user = nil
}
// ----
// a response of a model without a conformance
// says: Plain
func mistake() async throws -> Response<Plain> {
    try await UrlChainsBuilder().route(.get, "https://example.com").build().process()
}
// ----
// no type is named for the result
// says: inferred to have type 'Void'
func mistake() async throws {
    let user = try await UrlChainsBuilder().route(.get, "https://example.com").build().process()
    show(user)
}
// ----
// no route
// says: 'Route' could not be inferred
func mistake() async throws -> User {
    try await UrlChainsBuilder().build().process()
}
// ----
// a model that is not Sendable
// says: Sendable
final class Session: Codable {
    var name = ""
}
func mistake() async throws -> Session {
    try await UrlChainsBuilder().route(.get, "https://example.com").build().process()
}
// ----
// the error of onError is taken for a text
// says: 'String' conform to 'Error'
func mistake(chain: Chain<Void, User>) {
    chain.process().onError { (error: String) in _ = error }
}
// ----
// a retry with a bare number
// says: RetryPolicy
func mistake() async throws -> User {
    try await UrlChainsBuilder().route(.get, "https://example.com").retry(3).build().process()
}
// ----
// an optional in a path
// says: an optional in a path: unwrap it first
func mistake(id: String?) async throws -> User {
    try await Client(base: "https://example.com").route(.get, "/users/\(id)").build().process()
}
// ----
// a model in a path
// says: a path takes texts, numbers and UUIDs
func mistake(user: User) async throws -> User {
    try await Client(base: "https://example.com").route(.get, "/users/\(user)").build().process()
}
// ----
// text of a variable as a path
// says: Client.Path
func mistake(path: String) async throws -> User {
    try await Client(base: "https://example.com").route(.get, path).build().process()
}
// ----
// no type is named for the result of an observer
// says: name its type
func mistake() {
    UrlChainsBuilder().route(.get, "https://example.com").build().observe().onCompleted { user in print(user) }
}
// ----
// a member of a result for which no type is named
// says: name its type
func mistake() {
    UrlChainsBuilder().route(.get, "https://example.com").build().process().onCompleted { user in print(user.name) }
}
// ----
// a result for which no type is named is passed on
// says: name its type
func mistake(observer: Observer<Void>) {
    observer.onCompleted { user in show(user) }
}
// ----
// no type is named for the result of a chain
// says: name its type
func mistake() async throws -> User {
    let chain = UrlChainsBuilder().route(.get, "https://example.com").build()
    return try await chain.call()
}
// ----
// the observer of a call is dropped
// says: 'observe()' is unused
func mistake(chain: Chain<Void, User>) {
    chain.observe()
}
// ----
// a model without a conformance, of a listener
// says: Plain
func mistake() {
    UrlChainsBuilder().route(.get, "https://example.com").build().process().onCompleted { (plain: Plain) in print(plain) }
}
