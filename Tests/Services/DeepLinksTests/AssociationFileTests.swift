import DeepLinks
import TestSupport

@Suite("Association files", .timeLimit(.minutes(10)), .paced)
struct AssociationFileTests {
    static let parser = DeepLinkParser<String>(
        schemes: ["app"],
        hosts: ["example.com"],
        routes: [
            DeepLinkRoute("/items/:id", id: { $0 }, of: { $0 }),
            DeepLinkRoute("/items/new*", opens: "new"),
            DeepLinkRoute("/search?q!&page<int>", make: { $0["q"] }, match: { _ in nil }),
            DeepLinkRoute("/", opens: "home"),
            DeepLinkRoute("/payments/:id", from: .trusted, id: { $0 }, of: { $0 }),
        ]
    )
    static let appID = "ABCDE12345.com.example.app-beta"
    static let fingerprint = String(repeating: "0aF", count: 21) + "b"

    @Test("Apple's file names apps and components, the most specific first, and no page without universal links")
    func apple() throws {
        let file = try Json(parsing: Self.parser.appleAppSiteAssociation(appIDs: [Self.appID]))
        let details = try #require(file["applinks"]?["details"]?.array)
        #expect(details.count == 1)
        #expect(details[0]["appIDs"] == [Json(Self.appID)])
        #expect(
            details[0]["components"] == [
                // A star of the path is no wildcard.
                ["/": "/search", "?": ["q": "?*"]], ["/": "/items/new%2A"], ["/": "/items/?*"], ["/": "/"],
            ]
        )
    }

    @Test("Android's file names the package, the fingerprints with colons, and the same components")
    func android() throws {
        let text = try Self.parser.assetLinks(package: "com.example.my_app", fingerprints: [Self.fingerprint])
        let statement = try #require(try Json(parsing: text)[0])
        #expect(statement["relation"] == ["delegate_permission/common.handle_all_urls"])
        #expect(statement["target"]?["namespace"] == "android_app")
        #expect(statement["target"]?["package_name"] == "com.example.my_app")
        let printed = try #require(statement["target"]?["sha256_cert_fingerprints"]?[0]?.string)
        #expect(printed.split(separator: ":").count == 32)
        #expect(printed == printed.uppercased())
        let rules = statement["relation_extensions"]?["delegate_permission/common.handle_all_urls"]
        #expect(rules?["dynamic_app_link_components"]?.array?.count == 4)
        // With colons it is the same.
        #expect(try Self.parser.assetLinks(package: "com.example.my_app", fingerprints: [printed]) == text)
    }

    @Test(
        "an invalid id creates no file",
        arguments: [[], ["com.example.app"], ["ABCDE12345"], ["ABCDE1234*.a.b"], ["ABCDE12345.a b"]]
    )
    func badApps(ids: [String]) {
        let error = #expect(throws: DeepLinkError.self) { try Self.parser.appleAppSiteAssociation(appIDs: ids) }
        #expect(error?.code == .badAssociation)
    }

    @Test("an invalid fingerprint or package creates no file", arguments: ["", "00:11", "zz"])
    func badFingerprints(text: String) {
        #expect(throws: DeepLinkError.self) { try Self.parser.assetLinks(package: "com.example", fingerprints: [text]) }
        #expect(throws: DeepLinkError.self) {
            try Self.parser.assetLinks(package: "com..example", fingerprints: [Self.fingerprint])
        }
        #expect(throws: DeepLinkError.self) { try Self.parser.assetLinks(package: "com.example", fingerprints: []) }
    }

    @Test("a file that the system would ignore for its size is not created")
    func tooLarge() {
        let routes = (0..<3_000).map { number in
            DeepLinkRoute<String>(
                DeepLinkPattern("/pages/\(number)/a-rather-long-name-of-a-page/:id"),
                id: { $0 },
                of: { $0 }
            )
        }
        let parser = DeepLinkParser<String>(schemes: ["app"], routes: routes)
        #expect(throws: DeepLinkError.self) { try parser.appleAppSiteAssociation(appIDs: [Self.appID]) }
    }
}
