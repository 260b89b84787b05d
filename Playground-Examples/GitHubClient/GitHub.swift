import CoreNetKit
import CoreNetKitCache
import CoreNetKitStreams
import Foundation

/// GitHub's REST interface: users, repositories, issues, stars, releases and search.
///
/// What the server refuses is thrown as a ``GitHubError``.
struct GitHub: Sendable {
    let rateLimit: RateLimitReader
    let cache = ResponseCache()
    private let client: Client

    /// The hosts are that of the interface and that of uploads; no other gets the token.
    init(token: String, hosts: (api: URL, uploads: URL)) {
        let login = TokenRefresher(
            token: AccessToken(token),
            origins: .only([hosts.api.absoluteString, hosts.uploads.absoluteString]),
            refuses: { _ in false }  // A personal token cannot be renewed.
        ) { _ in AccessToken(token) }
        rateLimit = RateLimitReader()
        client = Client(base: hosts.api)
            .add(headers: ["Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"])
            .set(coding: JsonCoding(keys: .snakeCase, dates: .iso8601))
            .authorize(login)
            .mapFailure(as: Refusal.self) { GitHubError($0, $1) }
            .retry(.secondaryLimit)
            .cache(cache)
            .with(rateLimit)
    }
}

// MARK: - Users and stars

extension GitHub {
    func user(_ login: String) async throws -> User {
        try await client.route(.get, "/users/\(login)").build().call()
    }

    func starred(pageSize: Int = 100) -> Pages<[Repository]> {
        client.route(.get, "/user/starred").set(query: ["per_page": pageSize]).pages(.link, reading: .json)
    }

    func star(_ id: RepositoryID) async throws {
        try await client.route(.put, "/user/starred/\(id)").build().call()
    }

    func isStarred(_ id: RepositoryID) async throws -> Bool {
        do {
            try await client.route(.get, "/user/starred/\(id)").build().call()
            return true
        } catch let error as GitHubError where error.status == 404 {
            return false
        }
    }
}

// MARK: - Repositories and search

extension GitHub {
    func repository(_ id: RepositoryID) async throws -> Repository {
        try await client.route(.get, "/repos/\(id)").build().call()
    }

    func repositories(matching words: String, pageSize: Int = 100) -> Pages<[Repository]> {
        let pages: Pages<SearchResult> = client.route(.get, "/search/repositories")
            .set(query: ["q": words, "per_page": pageSize])
            .pages(.link, reading: .json)
        return pages.map(\.items)
    }

    /// Statistics are computed on demand: 202 means that they are not ready yet.
    func contributors(of id: RepositoryID) async throws -> [Contributor] {
        while true {
            let response: Response<Json> = try await client.route(.get, "/repos/\(id)/stats/contributors").build()
                .call()
            guard response.status == 202 else { return try response.model.decode() }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

// MARK: - Issues

extension GitHub {
    func issues(of id: RepositoryID, state: String = "open", pageSize: Int = 100) -> Pages<[Issue]> {
        client.route(.get, "/repos/\(id)/issues").set(query: ["state": state, "per_page": pageSize]).pages(
            .link,
            reading: .json
        )
    }

    func issue(_ number: Int, of id: RepositoryID) async throws -> Issue {
        try await client.route(.get, "/repos/\(id)/issues/\(number)").build().call()
    }

    func create(_ issue: IssueDraft, in id: RepositoryID) async throws -> Issue {
        try await client.route(.post, "/repos/\(id)/issues").build().call(issue)
    }

    func close(_ number: Int, of id: RepositoryID) async throws -> Issue {
        try await client.route(.patch, "/repos/\(id)/issues/\(number)").build().call(["state": "closed"])
    }
}

// MARK: - Releases

extension GitHub {
    func createRelease(_ tag: String, of id: RepositoryID) async throws -> Release {
        try await client.route(.post, "/repos/\(id)/releases").build().call(["tag_name": tag])
    }

    /// The file is the body of the request, which goes to another host.
    func upload(_ file: URL, type: String, to release: Release) async throws -> Asset {
        let address = String(release.uploadUrl.prefix { $0 != "{" })
        return try await UrlChainsBuilder(client: client)
            .route(.post, address)
            .set(query: ["name": file.lastPathComponent])
            .set(body: .file(file), type: type)
            .build()
            .call()
    }
}
