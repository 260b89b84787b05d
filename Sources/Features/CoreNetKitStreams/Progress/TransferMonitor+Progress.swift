#if canImport(Darwin)
    public import Foundation

    extension TransferMonitor {
        /// The transfer as Foundation's `Progress`, for views and parents that need one.
        ///
        /// It is updated at most ten times a second, on any thread, until the transfer ends, and indeterminate until the
        /// size is known. To cancel, cancel the call: cancelling the progress has no effect.
        public func foundationProgress() -> Progress {
            let progress = Progress(totalUnitCount: -1)
            let values = self.progress
            Task {
                for await state in values {
                    let isReceiving = state.received > 0 || state.sentTotal == nil
                    progress.totalUnitCount = (isReceiving ? state.receivedTotal : state.sentTotal) ?? -1
                    progress.completedUnitCount = isReceiving ? state.received : state.sent
                }
            }
            return progress
        }
    }
#endif
