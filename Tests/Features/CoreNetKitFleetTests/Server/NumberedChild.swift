import CoreNetKitSystem

#if os(Linux)
    import CoreNetKitChain
    import CoreNetKitSystem
    import Glibc

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

        /// Tells it something, and waits for the words that it says to that.
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
