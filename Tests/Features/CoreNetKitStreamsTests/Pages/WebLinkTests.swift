import CoreNetKitStreams
import TestSupport

@Suite("Link fields", .timeLimit(.minutes(10)), .paced)
struct WebLinkTests {
    private static let base = URL(string: "https://api.example/v1/items?page=1")

    @Test(
        "the next page is found whatever surrounds it, and no other link is taken for it",
        arguments: [
            (["<https://api.example/2>; rel=next"], "https://api.example/2"),
            (["<https://api.example/2>; rel=\"next\""], "https://api.example/2"),
            (["<https://api.example/2>;rel=\"last NEXT\""], "https://api.example/2"),
            (["<https://api.example/1>; rel=prev, <https://api.example/2>; rel=next"], "https://api.example/2"),
            (["<https://api.example/1>; rel=prev", "<https://api.example/2>; rel=next"], "https://api.example/2"),
            (["<https://api.example/2?ids=1,2;3>; rel=\"next\""], "https://api.example/2?ids=1,2;3"),
            (["<https://api.example/2>; title=\"a, b; c=\\\"d\\\"\"; rel=next"], "https://api.example/2"),
            (["<https://api.example/2>; foo=a=b; rel=next"], "https://api.example/2"),
            (["<https://api.example/2>; crossorigin; rel = next"], "https://api.example/2"),
            ([" , ,<https://api.example/2>; rel=next,"], "https://api.example/2"),
            (["<https://api.example/2>; rel=next; rel=prev"], "https://api.example/2"),
            (["</v1/items?page=2>; rel=next"], "https://api.example/v1/items?page=2"),
            (["<?page=2>; rel=next"], "https://api.example/v1/items?page=2"),
            (["<2>; rel=next; anchor=\"\""], "https://api.example/v1/2"),
            (["<https://api.example/2>; REL=next"], "https://api.example/2"),
            (["<>; rel=next"], "https://api.example/v1/items?page=1"),
            ([], nil), ([""], nil), (["<https://api.example/2>"], nil),
            (["<https://api.example/2>; rel=prev; rel=next"], nil), (["<https://api.example/2>; rel=nextpage"], nil),
            (["<https://api.example/2>; rel=next; anchor=\"/other\""], nil),
            (["<https://api.example/2>; rev=next"], nil), (["<https://api.example/2>; title=\"rel=next\""], nil),
        ] as [([String], String?)]
    )
    func finds(_ fields: [String], _ expected: String?) throws {
        let base = try #require(Self.base)
        #expect(try WebLink.url("next", in: fields, base: base)?.absoluteString == expected)
    }

    @Test(
        "an unreadable field is an error, never the last page",
        arguments: [
            "https://api.example/2; rel=next", "<https://api.example/2; rel=next",
            "<https://api.example/2>; rel=\"next",
            "<https://api.example/2>; rel=next <https://api.example/3>", "<https://api.example/2> rel=next",
            "<https://api.example/2>; =next",
        ]
    )
    func refuses(_ field: String) {
        let error = #expect(throws: StreamError.self) { try WebLink.links(in: [field]) }
        #expect(error?.code == .malformed)
    }

    @Test("a link keeps its parameters, the first of each name")
    func parameters() throws {
        let link = try #require(try WebLink.links(in: ["<x>; title=\"a\\\\b\"; TITLE=c; media"]).first)
        #expect(link["Title"] == "a\\b")
        #expect(link["media"] == "")
        #expect(link["type"] == nil)
        #expect(link.relations.isEmpty)
    }
}
