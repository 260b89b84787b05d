import CoreNetKitEssentials
import CoreNetKitHTTP

extension TransportConformance {
    static let messageRules = [
        Rule("message.content", "Method, target and content arrive unchanged, with the content's length.") { bench in
            let server = try LoopbackServer { .text($0.text) }
            let content = Data("some content".utf8)
            for method in [HTTPMethod.post, .put, .patch] {
                let request = bench.request(method, server.url("/a/b?c=d%20e"), body: .bytes(content))
                let response = try await bench.send(request)
                try bench.expect(response.body.data, is: content, "the content that came back")
                guard let seen = server.requests.last else { throw Deviation(what: "nothing arrived") }
                try bench.expect(seen.method, is: method, "the method")
                try bench.expect(seen.target, is: "/a/b?c=d%20e", "the target")
                try bench.expect(seen.headers["Content-Length"], is: "12", "Content-Length")
            }
        },
        Rule("message.fields", "Fields are sent and received with their values.") { bench in
            let server = try LoopbackServer { _ in .text("x").header("X-One", "1").header("X-Two", "two words") }
            let request = bench.request(.get, server.url("/"), headers: ["X-Three": "3", "X-Four": "a b"])
            let response = try await bench.send(request)
            try bench.expect(response.headers["x-one"], is: "1", "a field of the response")
            try bench.expect(response.headers["X-TWO"], is: "two words", "a field of the response")
            try bench.expect(server.requests.last?.headers["X-Three"], is: "3", "a field of the request")
            try bench.expect(server.requests.last?.headers["X-Four"], is: "a b", "a field of the request")
        },
        Rule("message.status", "Any final status is a response, with its content.") { bench in
            for status in [200, 201, 304, 400, 401, 403, 404, 407, 418, 429, 500, 503] {
                let server = try LoopbackServer { _ in .text(status == 304 ? "" : "said", status: status) }
                let response = try await bench.send(bench.request(.get, server.url("/")))
                try bench.expect(response.status, is: status, "the status")
                try bench.expect(response.body.data, is: Data((status == 304 ? "" : "said").utf8), "the content")
            }
        },
        Rule("message.redirects", "A redirect is a response, and is not followed.") { bench in
            for status in [301, 302, 303, 307, 308] {
                let server = try LoopbackServer { _ in .status(status).header("Location", "/elsewhere") }
                let response = try await bench.send(bench.request(.get, server.url("/")))
                try bench.expect(response.status, is: status, "the status")
                try bench.expect(server.counts.requests, is: 1, "the number of requests")
            }
        },
        Rule("message.cookies", "Cookies are not stored, and no response comes from a cache.") { bench in
            let server = try LoopbackServer { _ in
                .text("x").header("Set-Cookie", "a=b").header("Cache-Control", "max-age=1000")
            }
            for _ in 0..<2 { _ = try await bench.send(bench.request(.get, server.url("/"))) }
            try bench.expect(server.counts.requests, is: 2, "the number of requests")
            try bench.expect(server.requests.last?.headers["Cookie"], is: nil, "the cookie that was sent")
        },
        Rule("message.head", "HEAD, 204 and 304 have no content, whatever their fields say.") { bench in
            let server = try LoopbackServer { request in
                request.method == .head ? .text("twelve bytes") : .status(204)
            }
            let head = try await bench.send(bench.request(.head, server.url("/")))
            try bench.expect(head.body.data, is: Data(), "the content of HEAD")
            let none = try await bench.send(bench.request(.get, server.url("/")))
            try bench.expect(none.body.data, is: Data(), "the content of a 204")
        },
        Rule("message.chunked", "Chunked content arrives completely.") { bench in
            let server = try LoopbackServer { _ in .chunks("one, ", "two, ", "three") }
            let response = try await bench.send(bench.request(.get, server.url("/")))
            try bench.expect(response.body.data, is: Data("one, two, three".utf8), "the content")
        },
        Rule("message.fragment", "A fragment is not sent.") { bench in
            let server = try LoopbackServer { .text($0.target) }
            guard let url = URL(string: server.url("/a?b").absoluteString + "#c") else { return }
            let response = try await bench.send(bench.request(.get, url))
            try bench.expect(response.body.data, is: Data("/a?b".utf8), "the target")
        },
    ]

    static let refusalRules = [
        Rule("refusal.fields", "A field that would change the meaning of the head is refused, and nothing is sent.") {
            let server = try LoopbackServer { _ in .ok }
            let fields: [Headers] = [
                ["X-A": "1\r\nX-B: 2"], ["X-A\r\nX-B": "1"], ["": "1"], ["X A": "1"], ["Host": "elsewhere"],
                ["Content-Length": "7"], ["Transfer-Encoding": "chunked"],
            ]
            for headers in fields {
                let request = $0.request(.get, server.url("/"), headers: headers)
                try await $0.fails(.invalidRequest, sending: request)
            }
            for method in ["GE T", "", "CONNECT", "GET\r\n"] as [HTTPMethod] {
                try await $0.fails(.invalidRequest, sending: $0.request(method, server.url("/")))
            }
            try $0.expect(server.counts.requests, is: 0, "the number of requests")
        },
        Rule("refusal.url", "Only absolute http and https URLs with a host are sent.") { bench in
            for text in ["file:///etc/passwd", "ftp://localhost/", "/relative", "http:///", "mailto:a@b"] {
                guard let url = URL(string: text) else { continue }
                try await bench.fails(.invalidRequest, sending: bench.request(.get, url))
            }
        },
        Rule("refusal.timeouts", "A limit of zero or less is refused.") { bench in
            let server = try LoopbackServer { _ in .ok }
            for (limit, length) in PhaseLimit.allCases.flatMap({ [($0, .zero), ($0, Duration.seconds(-1))] }) {
                var request = bench.request(.get, server.url("/"))
                request.timeouts[limit] = length
                try await bench.fails(.invalidRequest, sending: request)
            }
            try bench.expect(server.counts.requests, is: 0, "the number of requests")
        },
        Rule("refusal.capabilities", "A request that needs a missing capability is refused, never altered.") {
            let server = try LoopbackServer { _ in .ok }
            var requests = Array(repeating: $0.request(.get, server.url("/")), count: 4)
            requests[0].coding = .identity
            requests[1].reportsSentHeaders = true
            requests[2].monitor = ExchangeMonitor()
            requests[3].delivery = .duplex
            for request in requests where !$0.transport.capabilities.isSuperset(of: request.neededCapabilities) {
                try await $0.fails(.unsupported, sending: request)
            }
        },
    ]
}
