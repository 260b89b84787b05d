import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension Pages {
    /// The same list with another model for its pages.
    ///
    /// It continues where these pages are, and both share their state: read only one of them. A prefetched page stays
    /// prefetched. The state moves past a page when its conversion has succeeded.
    ///
    /// - Parameter transform: Makes the new page; an error that it throws ends the list, like any error of a page.
    /// - Returns: The converted pages.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Page) async throws -> Other
    ) -> Pages<Other> {
        let feed = feed
        return Pages<Other>(
            feed: MappedPages<Page, Other>(base: feed) { load in
                let page = try await load()
                do { return try await transform(page) } catch {
                    throw NetworkError.page(error, number: feed.position.pages + 1)
                }
            }
        )
    }

    /// The same list, whose pages fail with your own errors.
    ///
    /// Cancellation stays cancellation, and an error that was chosen before is unchanged.
    /// - Parameter transform: Makes the error that the page fails with.
    /// - Returns: The same pages.
    public func mapError(
        _ transform: @escaping @Sendable (NetworkError) async throws -> any Error
    ) -> Pages<Page> {
        Pages(
            feed: MappedPages<Page, Page>(base: feed) { load in
                do { return try await load() } catch {
                    throw await MappedError.replacing(error, of: "PagesNode", by: transform)
                }
            }
        )
    }

    /// The same list, whose pages fail with the server's own error model if a rejected response has one.
    ///
    /// Errors without such a body are unchanged, and cancellation stays cancellation.
    /// The status does not matter; if it should, decide in the transform of the other overload.
    ///
    /// - Parameters:
    ///   - type: The server's error model.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    /// - Returns: The same pages.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Pages<Page> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// The same list, whose pages fail with an error made from the server's own error model.
    ///
    /// - Parameters:
    ///   - type: The model of the server's errors.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    ///   - transform: Makes the new error from the model and the original error.
    /// - Returns: The same pages.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        _ transform: @escaping @Sendable (Problem, NetworkError) async throws -> any Error
    ) -> Pages<Page> {
        mapError { error in
            guard let problem = try? error.decodeBody(as: Problem.self, coding: coding) else { return error }
            return try await transform(problem, error)
        }
    }
}
