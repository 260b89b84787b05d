/// Counts events and lets a test wait for a number of them.
package final class Signal: Sendable {
    private let state = WaitableState((count: 0, isOutOfTime: false))

    package init() {}

    /// How many there were.
    package var count: Int { state.read(\.count) }

    package func signal() { state.update { $0.count += 1 } }

    /// Waits for so many events in all; a test that is out of time goes on, and fails on what it finds.
    package func wait(_ count: Int = 1) async {
        do { try await state.wait { $0.count >= count || $0.isOutOfTime } } catch {
            // For those who wait in tasks of their own, too.
            state.update { $0.isOutOfTime = true }
        }
    }
}

/// A point at which a task waits until the test lets it, and those that come later, go on.
package struct Stop: Sendable {
    private let arrived = Signal()
    private let opened = Signal()

    package init() {}

    package func pass() async {
        arrived.signal()
        await opened.wait()
    }

    package func isReached(by count: Int = 1) async { await arrived.wait(count) }
    package func open() { opened.signal() }
}
