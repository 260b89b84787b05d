import Dispatch
import TestSupport

/// Runs all tasks of a world: on one thread, in a random order, or on all available threads.
final class WorldExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])
    private let dice: Dice
    /// Counts the jobs that are on their way to other threads; `nil` for one thread.
    private let away: DispatchGroup?

    init(_ dice: Dice, isThreaded: Bool) {
        self.dice = dice
        away = isThreaded ? DispatchGroup() : nil
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let away else { return jobs.withLock { $0.append(job) } }
        away.enter()
        DispatchQueue.global().async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            away.leave()
        }
    }

    /// Returns when every task has ended or waits for something outside.
    ///
    /// - Parameter afterStep: Called between two steps, on a single thread only.
    func runUntilIdle(_ afterStep: () -> Void = {}) {
        if let away { return away.wait() }
        while let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            afterStep()
        }
    }

    private func next() -> UnownedJob? {
        jobs.withLock { jobs in
            guard jobs.count > 1 else { return jobs.popLast() }
            jobs.swapAt(dice.roll(jobs.count), jobs.count - 1)
            return jobs.removeLast()
        }
    }
}

/// Random numbers, repeatable by a seed.
final class Dice: Sendable {
    private let generator: Locked<SplitMix64>

    init(seed: UInt64) { generator = Locked(SplitMix64(seed: seed)) }

    /// A number from zero to below `sides`; simple, because it is drawn half a million times.
    func roll(_ sides: Int) -> Int {
        generator.withLock { Int(truncatingIfNeeded: ($0.next() >> 33) % UInt64(sides)) }
    }

    func rolls(oneIn sides: Int) -> Bool { roll(sides) == 0 }
}
