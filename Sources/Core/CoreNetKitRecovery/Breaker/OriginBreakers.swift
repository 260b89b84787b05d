package import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// A circuit breaker for each origin that a client calls, made on its first call.
package final class OriginBreakers: ChainPolicy {
    private let make: @Sendable () -> CircuitBreaker
    private let state = Locked((breakers: [Origin: CircuitBreaker](), bound: TableBound()))
    package let problem: String?

    package init(_ make: @escaping @Sendable () -> CircuitBreaker) {
        self.make = make
        problem = make().problem
    }

    package var positions: [ChainPosition] { [BreakerNode.position] }
    package var scope: PolicyScope { .none }

    package func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        BreakerNode(next: next) { self.breaker(of: Origin($0.url)) }
    }

    func breaker(of origin: Origin) -> CircuitBreaker {
        if let known = state.withLock({ $0.breakers[origin] }) { return known }
        // Outside the lock, because the closure is the caller's.
        let made = make()
        return state.withLock { state in
            if let known = state.breakers[origin] { return known }
            // Closed circuits lose little: the calls of a few seconds.
            state.bound.makeRoom(in: &state.breakers, keeping: { _ in false }, ifPossible: \.isOpen)
            state.breakers[origin] = made
            return made
        }
    }
}
