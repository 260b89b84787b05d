#if os(Linux)
    import CNetCurl

    extension CurlTransport {
        /// Runs tasks on the transport's own thread: less latency and less processor time for each call.
        ///
        /// Such a call never changes threads. The price: its task shares the thread with the wire. While it blocks, or
        /// works for long, nothing is sent or received and no limit expires; such work belongs on another executor.
        ///
        /// ```swift
        /// try await withTaskExecutorPreference(transport.taskExecutor()) {
        ///     try await users.load()
        /// }
        /// ```
        ///
        /// When the transport has ended, its tasks continue in the ordinary pool.
        /// - Returns: The executor of one thread; with several ``Configuration/loops`` each call returns the next.
        ///   Requests from its tasks are sent by the same thread.
        public func taskExecutor() -> any TaskExecutor { turnOfLoops() ?? globalConcurrentExecutor }
    }

    extension CurlLoop: TaskExecutor {
        /// Tells its thread from others.
        var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if !submit(.run(job)) { CurlLoop.runElsewhere(job) }
        }

        static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
#endif
