public import CoreNetKitChain
import CoreNetKitHTTP

struct ProgressPolicy: ChainPolicy {
    private static let call = ChainPosition.inside(of: .call, "progress")
    private static let attempt = ChainPosition.inside(of: .attempt, "progress")

    let monitor: TransferMonitor

    var positions: [ChainPosition] { [Self.call, Self.attempt] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        position == Self.attempt ? watching(next) : finishing(next)
    }

    /// Gives each attempt its own monitor, which counts from zero.
    private func watching(_ next: Exchange) -> Exchange {
        AnyNode("ProgressNode", successors: [next]) { request, context in
            var request = request
            let exchange = request.monitor ?? ExchangeMonitor()
            request.monitor = exchange
            let isStream = request.delivery == .stream
            let forwarding = Task { [monitor] in
                for await state in exchange.updates { monitor.take(state, isLast: isStream && state.isEnded) }
            }
            do {
                let response = try await next.process(request, context: context)
                monitor.take(exchange.state, isLast: false)
                return response
            } catch {
                forwarding.cancel()
                throw error
            }
        }
    }

    private func finishing(_ next: Exchange) -> Exchange {
        AnyNode("ProgressEndNode", successors: [next]) { [monitor] request, context in
            monitor.begin()
            let response = try await next.process(request, context: context)
            if case .stream = response.body { return response }
            monitor.end(succeeded: true)
            return response
        }
    }
}

extension TransferMonitor {
    fileprivate func take(_ state: ExchangeMonitor.State, isLast: Bool) {
        update { progress in
            (progress.sent, progress.sentTotal) = (state.bytesSent, state.bytesToSend)
            (progress.received, progress.receivedTotal) = (state.bytesReceived, state.bytesExpected)
            if isLast { progress.isFinished = true }
        }
    }
}

extension PolicyHolder {
    /// Reports the progress of each call to a monitor; a transport without progress rejects the call.
    ///
    /// Bytes are counted as they are on the wire. For a download to a file use the parameter of its own verb.
    public func progress(in monitor: TransferMonitor) -> Self {
        // A call may fail before it has reached any node of a policy.
        with(ProgressPolicy(monitor: monitor)).changed { $0.options = $0.options.reporting(to: monitor) }
    }
}

extension CallOptions {
    /// The same for calls that also notify a monitor when they fail.
    func reporting(to monitor: TransferMonitor?) -> CallOptions {
        guard let monitor else { return self }
        var options = self
        options.onFailure = { monitor.end(succeeded: false) }
        return options
    }
}
