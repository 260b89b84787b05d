import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import TestSupport
import Testing

@Suite("A node written as an observer", .timeLimit(.minutes(10)), .paced)
struct ObserverNodeTests {
    private enum Failure: Error { case refused }

    @Test("its first outcome is the response, a value or an error")
    func outcomes() async throws {
        let node = ObserverNode<Int, String>("Names") { number in
            number > 0 ? .emit(data: "number \(number)") : .emit(error: Failure.refused)
        }
        #expect(try await node.process(7, context: RequestContext()) == "number 7")
        await #expect(throws: Failure.refused) { _ = try await node.process(0, context: RequestContext()) }
    }

    @Test("it is drawn with its name and the nodes that it may call")
    func drawn() {
        let inner = ObserverNode<Int, Int>("Inner") { .emit(data: $0) }
        let node = ObserverNode<Int, Int>("Outer", successors: [inner]) { .emit(data: $0) }
        #expect(Chain(node).description == "Outer\nInner")
    }

    @Test("cancelling the call cancels its observer")
    func cancellation() async throws {
        let (begun, cancelled) = (Signal(), Signal())
        let node = ObserverNode<Int, Int>("Never") { _ in
            let context = Context<Int>()
            context.onCanceled { cancelled.signal() }
            begun.signal()
            return context
        }
        let call = Task { try await node.process(1, context: RequestContext()) }
        await begun.wait()
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        await cancelled.wait()
    }
}
