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

        /// How many unnamed sockets of this machine a program that is started now would inherit.
        private var inherited: Int {
            (Int32(3)..<1024).count { descriptor in
                var domain: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                return fcntl(descriptor, F_GETFD) == 0
                    && getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
            }
        }

        @Test("programs that are started inherit no socket by which libcurl wakes itself")
        func children() throws {
            let sockets = try #require(SocketSet())
            let before = inherited
            let multis = try (0..<20).map { try #require(MultiHandle(number: $0, sockets: sockets, connections: 1)) }
            // Other tests open sockets, too.
            #expect(inherited < before + 20)
            for multi in multis { multi.end() }
        }
    }
#endif
