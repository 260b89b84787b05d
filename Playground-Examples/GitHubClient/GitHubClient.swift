import CoreNetKit
import CoreNetKitCache
import CoreNetKitLoopback
import CoreNetKitStreams
import ExampleReport
import Foundation
import ProgramArguments

/// A client for GitHub's interface, against servers of its own: the calls are in GitHub.swift.
@main
struct GitHubClient {
    static let kit = RepositoryID(owner: "ada", name: "kit")

    static func main() async throws {
        _ = ProgramArguments(
            """
            usage: GitHubClient

            Reads lists, files issues and uploads a release with a client for GitHub's interface, against servers of its own.
            """
        )
        let server = try Server()
        let gitHub = GitHub(token: Server.token, hosts: server.hosts)
        var report = Report()
        do {
            try await lists(gitHub, server, &report)
            try await conditions(gitHub, server, &report)
            try await errors(gitHub, server, &report)
            try await release(gitHub, server, &report)
        } catch {
            report.check(false, "a call that was to succeed", "\(error)")
        }
        server.stop()
        report.end()
    }

    private static func lists(_ gitHub: GitHub, _ server: Server, _ report: inout Report) async throws {
        let issues = gitHub.issues(of: kit, pageSize: 10)
        let numbers = try await issues.elements(\.self).reduce(into: [Int]()) { $0.append($1.number) }
        report.check(numbers == Array(1...25) && issues.state.pages == 3, "issues", "25 on 3 pages, by Link")

        let first = server.api.requests.count
        for try await issue in gitHub.issues(of: kit, pageSize: 10).elements where issue.number == 5 { break }
        report.check(server.api.requests.count == first + 1, "a reader that stops", "1 request")

        let found = try await gitHub.repositories(matching: "kit language:swift", pageSize: 2).elements
            .reduce(into: [String]()) { $0.append($1.fullName) }
        report.check(found.count == 5 && found.last == "ada/kit-5", "search", "asked again after a secondary limit: 5")

        let contributors = try await gitHub.contributors(of: kit)
        report.check(contributors.map(\.total) == [42], "statistics", "ready after a 202")
    }

    private static func conditions(_ gitHub: GitHub, _ server: Server, _ report: inout Report) async throws {
        let repository = try await gitHub.repository(kit)
        let (before, unchanged) = (gitHub.rateLimit.last?.remaining ?? 0, server.unchanged)
        let again = try await gitHub.repository(kit)
        report.check(
            again.fullName == repository.fullName && server.unchanged == unchanged + 1,
            "a conditional request",
            "304, \(gitHub.cache.counts.validated) in all"
        )
        let after = gitHub.rateLimit.last?.remaining ?? 0
        report.check(before > 0 && after == before, "rate limit", "\(after) left: a 304 is free")

        let open = try await gitHub.issue(3, of: kit)
        let closed = try await gitHub.close(3, of: kit)
        let now = try await gitHub.issue(3, of: kit)
        report.check([open, closed, now].map(\.state) == ["open", "closed", "closed"], "a change", "is seen at once")

        let wasStarred = try await gitHub.isStarred(kit)
        try await gitHub.star(kit)
        let isStarred = try await gitHub.isStarred(kit)
        let starred = try await gitHub.starred().elements(\.self).reduce(into: [Repository]()) { $0.append($1) }
        report.check(!wasStarred && isStarred && starred.count == 1, "a star", "404 before, 204 after")
    }

    private static func errors(_ gitHub: GitHub, _ server: Server, _ report: inout Report) async throws {
        let ada = try await gitHub.user("ada")
        report.check(ada.createdAt != nil, "a user", ada.login)
        await report.refusal(404, "an unknown user") { _ = try await gitHub.user("nobody/../ada") }
        await report.refusal(422, "a draft without a title") { _ = try await gitHub.create(.init(title: ""), in: kit) }
        let issue = try await gitHub.create(.init(title: "It works", labels: ["praise"]), in: kit)
        report.check(issue.number == 26, "a draft with a title", issue.title)
        await report.refusal(401, "a wrong token") {
            _ = try await GitHub(token: "wrong", hosts: server.hosts).user("ada")
        }
        do {
            _ = try await gitHub.user("proxy")
            report.check(false, "an error without a model", "was accepted")
        } catch let error as NetworkError {
            report.check(error.status == 502, "an error without a model", "\(error.code)")
        }
    }

    private static func release(_ gitHub: GitHub, _ server: Server, _ report: inout Report) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kit-\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: 7, count: 500_000).write(to: file)
        let release = try await gitHub.createRelease("1.0", of: kit)
        let asset = try await gitHub.upload(file, type: "application/zip", to: release)
        report.check(
            asset.size == 500_000 && asset.name == file.lastPathComponent && asset.contentType == "application/zip",
            "an asset of \(release.tagName)",
            "\(asset.size) bytes, to another host"
        )
    }
}

extension Report {
    /// Expects a ``GitHubError`` with this status.
    mutating func refusal(_ status: Int, _ title: String, _ call: () async throws -> Void) async {
        do {
            try await call()
            check(false, title, "was accepted")
        } catch let error as GitHubError {
            let problems = error.problems.map { " \($0.field ?? ""): \($0.code)" }.joined()
            check(error.status == status, title, "\(error.status) \(error.message)\(problems)")
        } catch {
            check(false, title, "\(error)")
        }
    }
}
