import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Turns the first request of a list into that of the next page: the outer node sets its URL; the one next to the wire removes
/// the credentials that nodes in between have added, if it goes to another origin.
struct PageRequest: ChainPolicy {
    private static let preparing = ChainPosition.inside(of: .headers, "page")
    private static let stripping = ChainPosition.innermost(of: .exchange, "page")

    let rule: PageRule
    let options: PageOptions
    let state: PageState
    /// The stepper before this page, which knows the first request's URL.
    let stepper = Locked<PageStepper?>(nil)

    var positions: [ChainPosition] { [Self.preparing, Self.stripping] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        guard position == Self.stripping else { return prepare(before: next) }
        return StreamRequest.originNode("PageOriginNode", before: next) { [stepper] request in
            stepper.withLock { $0?.isForeign(request.url) ?? false }
        }
    }

    private func prepare(before next: Exchange) -> Exchange {
        AnyNode("PageNode", successors: [next]) { request, context in
            var request = request
            let stepper = PageStepper(
                rule,
                base: request.url,
                from: state,
                limit: options.limit,
                allowsForeign: options.allowsForeignOrigins
            )
            self.stepper.withLock { $0 = stepper }
            do throws(StreamError) {
                if let url = try stepper.target() { request.url = url }
            } catch {
                throw NetworkError.stream(error, node: "PageNode", response: nil)
            }
            return try await next.process(request, context: context)
        }
    }
}
