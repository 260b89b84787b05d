package import CoreNetKitLoopback
package import CoreNetKitMock
package import PushServersMock
import TestSupport

extension AlarmServer {
    /// The response to a request of a mock transport.
    package func respond(to request: MockRequest) -> LoopbackResponse {
        let items = request.method == .get ? request.query : request.form
        let parameters = Dictionary(items.map { ($0.name, $0.value) }) { $1 }
        return respond(method: request.method, path: request.path, headers: request.headers, parameters: parameters)
    }
}

extension IDPushServer {
    /// The response to a request of a mock transport.
    package func reply(to request: MockRequest) -> MockResponse {
        respond(method: request.method, path: request.path, headers: request.headers, body: request.text).onMock
    }
}

extension KorePushServer {
    /// The response to a request of a mock transport.
    package func reply(to request: MockRequest) -> MockResponse {
        respond(method: request.method, target: request.path, headers: request.headers, body: request.text).onMock
    }
}

extension Life {
    /// What a server replies; the connection is lost if the process ends before that.
    package func exchange(_ reply: () -> MockResponse) -> MockResponse {
        do {
            try step()
            let reply = reply()
            try step()
            return reply
        } catch {
            return .failure(.connectionLost)
        }
    }
}
