#if os(Linux)
    @testable import CoreNetKitCurl
    import Glibc
    import TestPace
    import Testing

    @Suite("Curl: the set of sockets", .paced)
    struct SocketSetTests {
        @Test("counts open connections: neither closed ones nor libcurl's other sockets")
        func connections() throws {
            let sockets = try #require(SocketSet())
            var pair: [Int32] = [-1, -1]
            try #require(pipe(&pair) == 0)
            sockets.opened(pair[0])
            #expect(sockets.connections == 1)
            sockets.opened(pair[1])
            #expect(sockets.connections == 2)
            for descriptor in pair { sockets.close(descriptor) }
            #expect(sockets.connections == 0)
            try #require(pipe(&pair) == 0)
            sockets.watch(pair[0], for: 1)
            #expect(sockets.connections == 0)
            for descriptor in pair { sockets.close(descriptor) }
            #expect(sockets.connections == 0)
        }
    }
#endif
