import CoreNetKit
import Foundation

/// Owner and name of a repository, two segments of a path.
struct RepositoryID: Sendable {
    var owner: String
    var name: String
}

extension Client.Path.StringInterpolation {
    mutating func appendInterpolation(_ id: RepositoryID) {
        appendInterpolation(id.owner)
        appendLiteral("/")
        appendInterpolation(id.name)
    }
}

struct User: Decodable, Sendable {
    var id: Int
    var login: String
    var createdAt: Date?
}

struct Repository: Decodable, Sendable {
    var id: Int
    var fullName: String
    var stargazersCount: Int
}

struct SearchResult: Decodable, Sendable {
    var totalCount: Int
    var items: [Repository]
}

struct Contributor: Decodable, Sendable {
    var total: Int
    var author: User
}

struct Issue: Decodable, Sendable {
    var number: Int
    var title: String
    var state: String
}

struct IssueDraft: Encodable, Sendable {
    var title: String
    var body: String?
    var labels: [String] = []
}

struct Release: Decodable, Sendable {
    var id: Int
    var tagName: String
    /// A template: `https://uploads…/assets{?name,label}`.
    var uploadUrl: String
}

struct Asset: Decodable, Sendable {
    var name: String
    var size: Int
    var contentType: String
}

/// The body of a response that refuses a request.
struct Refusal: Decodable, Sendable {
    struct Problem: Decodable, Sendable {
        var resource: String?
        var field: String?
        var code: String
    }

    var message: String
    var errors: [Problem]?
    var documentationUrl: String?
}

/// Why GitHub refused a request.
struct GitHubError: Error {
    var status: Int
    var message: String
    var problems: [Refusal.Problem]
    var rateLimit: RateLimit?

    init(_ refusal: Refusal, _ error: NetworkError) {
        status = error.status ?? 0
        message = refusal.message
        problems = refusal.errors ?? []
        rateLimit = (error.response?.headers).flatMap(RateLimit.init)
    }
}
