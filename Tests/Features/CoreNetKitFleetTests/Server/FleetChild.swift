#if os(Linux)
    import Glibc
    import TestSupport

    /// A process of `FleetProgram`: lines go in, lines come out.
    final class FleetChild: Sendable {
        static let program = TestProgram.named("FleetProgram")

        private let process: Process
        private let input = Pipe()
        private let lines: AsyncStream<String>

        init(_ arguments: [String]) throws {
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            self.lines = lines
            process = Process()
            // It ends by itself, whatever becomes of the test.
            process.executableURL = URL(filePath: "/usr/bin/timeout")
            process.arguments = ["-s", "KILL", "600", Self.program?.path ?? ""] + arguments
            let pipe = Pipe()
            (process.standardInput, process.standardOutput) = (input, pipe)
            process.standardError = FileHandle.nullDevice
            let output = pipe.fileHandleForReading
            try process.run()
            // A thread and no `readabilityHandler`: that is a dispatch source, which must not outlive its descriptor.
            let isRead = DetachedThread.start {
                var rest = Data()
                while case let bytes = output.availableData, !bytes.isEmpty {
                    rest += bytes
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
            if !isRead { continuation.finish() }
        }

        func line() async -> String? {
            var iterator = lines.makeAsyncIterator()
            return await iterator.next()
        }

        /// One that has ended says so with its next line.
        func tell(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

        func ask(_ line: String) async -> String? {
            tell(line)
            return await self.line()
        }

        func end() { try? input.fileHandleForWriting.close() }
    }

    /// A process of `FleetProgram` whose lines have numbers: several may be under way.
    final class NumberedChild: Sendable {
        private struct State: Sendable {
            var last = 0
            var waiting: [Int: Waiter<[String]>] = [:]
            var isOver = false
        }

        private let child: FleetChild
        private let state = Locked(State())

        init(_ child: FleetChild) {
            self.child = child
            Task { [state] in
                while let line = await child.line() {
                    let words = line.split(separator: " ").map(String.init)
                    guard let number = words.first.flatMap({ Int($0) }) else { continue }
                    state.withLock { $0.waiting.removeValue(forKey: number) }?
                        .resume(.success(Array(words.dropFirst())))
                }
                let left = state.withLock { state in
                    state.isOver = true
                    return Array(state.waiting.values)
                }
                for waiter in left { waiter.resume(.failure(Ended())) }
            }
        }

        func ask(_ line: String) async throws -> [String] {
            let waiter = Waiter<[String]>()
            let number = state.withLock { state -> Int? in
                guard !state.isOver else { return nil }
                state.last += 1
                state.waiting[state.last] = waiter
                return state.last
            }
            guard let number else { throw Ended() }
            child.tell("\(number) \(line)")
            return try await waiter.value()
        }

        func end() { child.end() }

        /// The same for all processes of a machine, in nanoseconds.
        static var now: UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }

        struct Ended: Error {}
    }
#endif
