#if os(Linux)
    import CNetCurl

    extension CurlTransport {
        /// Runs tasks on the transport's own threads: less latency and less processor time for each call.
        ///
        /// The recommended way for a server: most calls and their continuations stay on one thread. There are as many threads as
        /// processors, two at least and four at most, and whichever has nothing to run drives the wire. So a task that computes
        /// delays the wire by a few milliseconds at most; one that *blocks* takes a thread away from the others.
        ///
        /// ```swift
        /// try await withTaskExecutorPreference(transport.taskExecutor()) {
        ///     try await users.load()
        /// }
        /// ```
        ///
        /// When the transport has ended, its tasks continue in the ordinary pool.
        /// - Returns: The executor of a loop; with several ``Configuration/loops`` each call returns the next. Requests from its
        ///   tasks use the connections of that loop.
        public func taskExecutor() -> any TaskExecutor { turnOfLoops() ?? globalConcurrentExecutor }
    }

    extension CurlLoop: TaskExecutor {
        /// Tells its threads from others.
        var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if !submit(job) { CurlLoop.runElsewhere(job) }
        }

        static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
#endif
