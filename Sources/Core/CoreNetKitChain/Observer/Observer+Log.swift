import CoreNetKitHTTP
import Dispatch

extension Observer {
    /// Writes each outcome to a sink; the builder's `log(to:)` records the nodes of a chain.
    ///
    /// - Parameters:
    ///   - name: The id of the written line.
    ///   - sink: The sink that receives it.
    /// - Returns: The receiver.
    @discardableResult
    public func log(_ name: NodeID, to sink: any LogSink = LogConfiguration.platformSink) -> Observer<Model> {
        let clock = CallClock.continuous
        let start = clock.now
        let write: @Sendable (CallRecord.Outcome, LogLevel) -> Void = { outcome, level in
            let time = clock.now - start
            let line = LogTree.Line(node: name, level: level, message: "\(outcome)", time: time, depth: 0)
            sink.write(LogTree(call: 0, outcome: outcome, duration: time, lines: [line]))
        }
        // On a separate queue, so that a sink may be slow and does not need the main queue.
        dispatchOn(.global(qos: .utility))
            .onCompleted { _ in write(.completed, .info) }
            .onError { error in
                // The response of a failed call has the secrecy rules of its client.
                let secrets = (error as? NetworkError)?.response?.secrets ?? .standard
                write(.failed(.init(error)).redacted(by: secrets), .error)
            }
            .onCanceled { write(.cancelled, .info) }
        return self
    }
}
