#if os(Linux)
    import CoreNetKitSystem
    import CNetCurl
    import CNetEpoll

    /// What one thread waits for and another one wakes it by: an eventfd.
    final class WakeUp: Sendable {
        let descriptor: Int32

        init?() {
            descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard descriptor >= 0 else { return nil }
        }

        deinit { close(descriptor) }

        /// Waits until it is woken, at most a number of milliseconds; `false` if it was not.
        func wait(_ milliseconds: Int32) -> Bool {
            var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&place, 1, milliseconds) > 0 else { return false }
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
            return true
        }

        func wake() {
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
    }

    // The threads that run tasks for a loop, and drive the wire while there are none.
    extension CurlLoop {
        /// How many threads a loop's executor has: no more than can run at the same time, of which one drives the wire.
        static let workers = max(2, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        /// The tasks that wait before another thread is woken for them.
        private static let backlog = 16

        /// Drives the loop and runs its tasks until the loop has ended, which its owner does.
        func work(_ wakeUp: WakeUp, isOwner: Bool) {
            cnc_thread_begin(identity)
            var idleTurns = 0
            while true {
                if runJobs() { idleTurns = 0 }
                if let goesOn = turnLock.withLockIfFree({ _ in turn() }) {
                    if goesOn { continue }
                    if isOwner { break }
                    return
                }
                // While tasks run, the thread that drives the wire may become one that computes.
                idleTurns += 1
                guard let isWoken = rest(wakeUp, isBrief: idleTurns < 16) else { return }
                if isWoken { idleTurns = 0 }
            }
            turnLock.withLock { _ in end() }
        }

        /// Waits a millisecond while tasks run, else until it is woken: whether it was; `nil` if the loop has ended.
        private func rest(_ wakeUp: WakeUp, isBrief: Bool) -> Bool? {
            let (hasEnded, rests) = mailbox.withLock { box in
                let rests = !isBrief && box.jobs.isEmpty && box.busy == 0
                if rests { box.resting.append(wakeUp) }
                return (box.isEnded, rests)
            }
            if hasEnded { return nil }
            let isWoken = wakeUp.wait(rests ? 60_000 : 1)
            if rests { mailbox.withLock { $0.resting.removeAll { $0 === wakeUp } } }
            return isWoken
        }

        private func runJobs() -> Bool {
            var hasRun = false
            while true {
                let (job, other) = mailbox.withLock { box -> (UnownedJob?, WakeUp?) in
                    let job = box.jobs.popFirst()
                    if hasRun, job == nil { box.busy -= 1 }
                    guard !hasRun, job != nil else { return (job, nil) }
                    box.busy += 1
                    // Another thread drives the wire while this one runs tasks.
                    return (job, box.resting.popLast())
                }
                other?.wake()
                guard let job else { return hasRun }
                hasRun = true
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }

        func awaitNextCommand() {
            let end = MonotonicTime.now() + 25_000
            repeat {
                if mailbox.withLock({ !$0.commands.isEmpty || !$0.jobs.isEmpty }) { return }
                sched_yield()
            } while MonotonicTime.now() < end
        }

        /// Hands a task over to the threads of the loop; `false` if it has ended, or there is no thread.
        func submit(_ job: UnownedJob) -> Bool {
            let (isTaken, other) = mailbox.withLock { box -> (Bool, WakeUp?) in
                guard isRunning(&box) else { return (false, nil) }
                if !box.hasWorkers {
                    box.hasWorkers = true
                    // Without another thread, tasks and wire share the one that there is.
                    for _ in 1..<CurlLoop.workers { _ = startThread(isOwner: false) }
                }
                box.jobs.append(job)
                let isWoken = wake(&box)
                return (true, !isWoken && box.jobs.count > CurlLoop.backlog ? box.resting.popLast() : nil)
            }
            other?.wake()
            return isTaken
        }

        func startThread(isOwner: Bool) -> Bool {
            guard let wakeUp = WakeUp() else { return false }
            return DetachedThread.start { self.work(wakeUp, isOwner: isOwner) }
        }
    }
#endif
