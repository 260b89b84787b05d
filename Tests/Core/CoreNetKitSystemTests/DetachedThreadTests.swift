import CoreNetKitSystem
import TestPace
import Testing

@Suite("A thread of the system's", .timeLimit(.minutes(10)), .paced)
struct DetachedThreadTests {
    @Test("runs its body, and says that it does")
    func start() async {
        let isStarted = Locked(false)
        await withCheckedContinuation { ended in
            let isThere = DetachedThread.start { ended.resume() }
            isStarted.withLock { $0 = isThere }
            if !isThere { ended.resume() }
        }
        #expect(isStarted.withLock { $0 })
    }
}
