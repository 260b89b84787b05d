#if canImport(Darwin)
    public import Foundation

    extension TransferMonitor {
        /// The transfer as Foundation's `Progress`, for views and parents that need one.
        ///
        /// It is changed at most ten times a second, on no particular thread, until the transfer ends; cancelling it does
        /// nothing: cancel the call.
        /// - Returns: A progress that is indeterminate until the size is known.
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
