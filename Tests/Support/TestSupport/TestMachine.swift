/// A machine whose clocks stand still until they are advanced, and whose wall clock can be set.
package final class TestMachine: Sendable {
    private let state = Locked((wall: Int64(1_800_000_000_000), steady: Int64(5_000), boot: UInt64(1)))

    package init() {}

    package var moment: WallMoment {
        let now = state.value
        return WallMoment(wall: now.wall, steady: now.steady, bootID: now.boot)
    }

    package func advance(_ seconds: Int64) {
        state.withLock { ($0.wall, $0.steady) = ($0.wall + seconds * 1000, $0.steady + seconds * 1000) }
    }

    /// Sets only the wall clock.
    package func step(_ milliseconds: Int64) { state.withLock { $0.wall += milliseconds } }

    /// Reboots the machine: its clocks start at zero, except the wall clock.
    package func reboot() { state.withLock { ($0.steady, $0.boot) = (0, $0.boot + 1) } }
}
