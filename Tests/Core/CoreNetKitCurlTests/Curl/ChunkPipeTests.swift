#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitEssentials
    import CoreNetKitSystem
    import TestPace
    import Testing

    @Suite("A reader that is parked at a pipe", .timeLimit(.minutes(10)), .paced)
    struct ChunkPipeTests {
        private let pipe = ChunkPipe()
        private let wakes = Locked(0)

        private func park() -> Bool { pipe.park { [wakes] in wakes.withLock { $0 += 1 } } }

        /// What is there: the end is `.some(nil)`.
        private func take() throws -> Data?? {
            guard let result = pipe.take(hasRoom: {}) else { return .none }
            return .some(try result.get())
        }

        @Test("is woken once by what comes, however much that is")
        func woken() throws {
            #expect(try take() == .none)
            #expect(park())
            #expect(wakes.withLock { $0 } == 0)
            #expect(pipe.deliver(Data([1])) == 1)
            #expect(pipe.deliver(Data([2])) == 2)
            #expect(wakes.withLock { $0 } == 1)
            #expect(try take() == .some(Data([1])))
            #expect(try take() == .some(Data([2])))
            #expect(try take() == .none)
        }

        @Test("is not parked, nor woken, where there is something already, the end too")
        func something() throws {
            _ = pipe.deliver(Data([1]))
            #expect(!park())
            #expect(try take() == .some(Data([1])))
            pipe.finish(nil)
            #expect(!park())
            #expect(try take() == .some(nil))
            #expect(wakes.withLock { $0 } == 0)
        }

        @Test("is woken by the end, and finds it with its error", arguments: [true, false])
        func end(isFailure: Bool) throws {
            #expect(park())
            pipe.finish(isFailure ? CurlFailure.shutDown : nil)
            pipe.finish(nil)
            #expect(wakes.withLock { $0 } == 1)
            if isFailure {
                #expect(throws: (any Error).self) { try take() }
            } else {
                #expect(try take() == .some(nil))
            }
        }

        @Test("finds everything in order, whenever it comes")
        func order() async throws {
            let count = 20_000
            let source = Task.detached { [pipe] in
                for number in 0..<count { _ = pipe.deliver(Data([UInt8(truncatingIfNeeded: number)])) }
                pipe.finish(nil)
            }
            var found = 0
            reading: while true {
                switch try take() {
                case .some(let bytes?):
                    #expect(bytes.first == UInt8(truncatingIfNeeded: found))
                    found += 1
                case .some(nil): break reading
                case .none:
                    await withUnsafeContinuation { continuation in
                        if !pipe.park({ continuation.resume() }) { continuation.resume() }
                    }
                }
            }
            #expect(found == count)
            await source.value
        }
    }
#endif
