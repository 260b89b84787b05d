import TestSupport

@Suite("MockTransport: mismatches are reported", .timeLimit(.minutes(10)), .paced)
struct MockReportTests {
    @Test("a request without a script fails at once and names the nearest scripts")
    func nearest() async throws {
        let mock = MockTransport {
            $0.on(.get, "/users", .ok)
            $0.on(.post, "/users", .ok)
            $0.on(.get, "/users/:id/photos", .ok)
            $0.on(.get, "/something/else/entirely", .ok)
        }
        let error = try await transportError { _ = try await mock.text(.get, "/user?token=secret") }
        let message = try #require(error?.message)
        #expect(error?.code == .failed)
        #expect(error?.isSafeToResend == false)
        #expect(
            message.hasPrefix("no script for GET /user?token=…; nearest: GET /users (CoreNetKitMockTests/MockReport")
        )
        #expect(message.contains("POST /users ("))
        #expect(!message.contains("entirely"))
        #expect(!message.contains("secret"))
        #expect(!message.contains("\n"))
    }

    @Test("wildcards count as near to what they could match")
    func nearWildcards() async throws {
        let mock = MockTransport {
            $0.on(.get, "/ab", .ok)
            $0.on(.post, "/organisations/:id", .ok)
        }
        let error = try await transportError { _ = try await mock.text(.put, "/organisations/0123456789abcdef") }
        #expect(error?.message.contains("nearest: POST /organisations/:id (") == true)
    }

    @Test("a mock without scripts says so")
    func empty() async throws {
        let error = try await transportError { _ = try await MockTransport().text(.get, "/a") }
        #expect(error?.message.contains("the mock has none") == true)
    }

    @Test("a used-up script is named")
    func exhausted() async throws {
        let mock = MockTransport { $0.on(.get, "/a", times: 1, .ok) }
        _ = try await mock.text(.get, "/a")
        let error = try await transportError { _ = try await mock.text(.get, "/a") }
        #expect(error?.message.contains("was used 1 times") == true)
        #expect(mock.requests.count == 2)
    }

    @Test("verify passes if every script was used and every request scripted")
    func verified() async throws {
        let mock = MockTransport {
            $0.on(.get, "/a", .ok, .status(304))
            $0.on(.get, "/b", times: 2, .ok)
            $0.on(.get, "/c") { _ in .ok }
            $0.on(.get, "/never", times: 0, .ok)
        }
        for target in ["/a", "/a", "/a", "/b", "/b", "/c"] { _ = try await mock.text(.get, target) }
        try mock.verify()
        #expect(mock.unusedScripts == [])
    }

    @Test("verify names the scripts that were not used, or not completely")
    func unused() async throws {
        let mock = MockTransport {
            $0.on(.get, "/a", .status(503), .ok)
            $0.on(.get, "/b", times: 3, .ok)
            $0.on(.get, "/c", .ok)
        }
        for target in ["/a", "/b"] { _ = try await mock.text(.get, target) }
        #expect(mock.unusedScripts.map { String($0.prefix { $0 != "(" }) } == ["GET /a ", "GET /b ", "GET /c "])
        #expect(mock.unusedScripts.map { $0.suffix(11) } == ["1 of 2 used", "1 of 3 used", "0 of 1 used"])
        let error = #expect(throws: MockVerificationError.self) { try mock.verify() }
        #expect(error?.unusedScripts == mock.unusedScripts)
        #expect(error?.unscriptedRequests == [])
    }

    @Test("verify names requests without a script even if their errors were swallowed")
    func unscripted() async throws {
        let mock = MockTransport()
        _ = try? await mock.text(.delete, "/a")
        let error = #expect(throws: MockVerificationError.self) { try mock.verify() }
        #expect(error?.unscriptedRequests == ["DELETE /a"])
        #expect("\(try #require(error))" == "requests without a script: DELETE /a")
    }

    @Test("capabilities that the mock is set to lack are refused")
    func capabilities() async throws {
        let mock = MockTransport(capabilities: []) { $0.on(nil, "/a", .ok) }
        let requests = [
            try request(.post, "/a", body: .stream { Pieces(Data()) }),
            try request(.get, "/a", delivery: .stream),
            try request(.get, "/a", body: .bytes(Data("x".utf8))),
        ]
        for request in requests {
            let error = try await transportError { _ = try await mock.send(request) }
            #expect(error?.code == .unsupported)
        }
        #expect(try await mock.send(request(.get, "/a")).status == 200)
    }
}
