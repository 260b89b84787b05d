import CoreNetKitJson
import CoreNetKitSockets
import TestSupport

/// The messages of the recipes, with connections that break: a feed by topics, GraphQL.
@Suite("Sockets: protocols over calls", .timeLimit(.minutes(10)), .paced)
struct RecipeFlowTests {
    private struct Topic: Codable, Equatable, Sendable {
        var type: String
        var topic: String?
        var number: Int?

        init(_ type: String, _ topic: String? = nil, _ number: Int? = nil) {
            (self.type, self.topic, self.number) = (type, topic, number)
        }
    }

    @Test(
        "Topics: subscriptions come back behind the greeting, once each, and none that was left",
        arguments: Stage.Way.allCases
    )
    func topics(_ way: Stage.Way) async throws {
        let greet: Stage.Script = { peer in
            try await peer.expect(json: Topic("connect"))
            try await peer.expectQuiet()
            peer.send(json: Topic("connack"))
        }
        let stage = try Stage(way) { peer in
            try await greet(peer)
            for topic in ["dax", "mdax", "gold"] {
                try await peer.expect(json: Topic("subscribe", topic))
                peer.send(json: Topic("publish", topic, 1))
            }
            try await peer.expect(json: Topic("unsubscribe", "gold"))
            peer.drop()
        } then: { peer in
            try await greet(peer)
            let topics = [try await peer.receive(Topic.self), try await peer.receive()]
            guard Set(topics.map(\.topic)) == ["dax", "mdax"], topics.allSatisfy({ $0.type == "subscribe" }) else {
                return peer.drop()
            }
            try await peer.expectQuiet()
            for topic in topics { peer.send(json: Topic("publish", topic.topic, 2)) }
            try await peer.expectClose()
        }
        let chain: Chain<Void, Socket<Topic, Topic>> = stage.models().greeting { greeting in
            try await greeting.send(Topic("connect"))
            try await greeting.reply { $0.type == "connack" }
        }
        let socket = try await chain.process()
        let calls = SocketCalls(socket) { $0.topic }
        let feed = { (topic: String) in
            calls.stream(topic, Topic("subscribe", topic), leaving: Topic("unsubscribe", topic), resumes: true)
        }
        var dax = feed("dax").makeAsyncIterator()
        #expect(try await dax.next()?.number == 1)
        var mdax = feed("mdax").makeAsyncIterator()
        #expect(try await mdax.next()?.number == 1)
        for try await gold in feed("gold") {
            #expect(gold.number == 1)
            break
        }
        try await stage.connectAgain(socket)
        #expect(try await dax.next()?.number == 2)
        #expect(try await mdax.next()?.number == 2)
        #expect(await calls.close() == SocketClose(.normal))
    }

    @Test(
        "GraphQL: what runs is asked for again, what was over is not; its pings get a reply",
        arguments: Stage.Way.allCases
    )
    func graphQL(_ way: Stage.Way) async throws {
        let greet: Stage.Script = { peer in
            try await peer.expect(json: GraphFrame("connection_init"))
            peer.send(json: GraphFrame("ping"))
            try await peer.expectQuiet()
            peer.send(json: GraphFrame("connection_ack"))
        }
        let stage = try Stage(way, protocols: ["graphql-transport-ws"]) { peer in
            try await greet(peer)
            try await peer.expect(json: GraphFrame("pong"))
            try await peer.expect(json: GraphFrame("subscribe", "1", ["query": "{ once }"]))
            peer.send(json: GraphFrame("next", "1", ["once": 1]))
            peer.send(json: GraphFrame("complete", "1"))
            try await peer.expect(json: GraphFrame("subscribe", "2", ["query": "{ wrong }"]))
            peer.send(json: GraphFrame("error", "2", ["message": "wrong"]))
            try await peer.expect(json: GraphFrame("subscribe", "3", ["query": "{ price }"]))
            peer.send(json: GraphFrame("next", "3", ["price": 1]))
            peer.drop()
        } then: { peer in
            try await greet(peer)
            let types = [try await peer.receive(GraphFrame.self).type, try await peer.receive(GraphFrame.self).type]
            guard types.sorted() == ["pong", "subscribe"] else { return peer.drop() }
            try await peer.expectQuiet()
            peer.send(json: GraphFrame("next", "3", ["price": 2]))
            try await peer.expect(json: GraphFrame("complete", "3"))
            try await peer.expectClose()
        }
        let plain: Chain<Void, Socket<GraphFrame, GraphFrame>> = stage.models {
            $0.protocols = ["graphql-transport-ws"]
        }
        let chain = plain.greeting { greeting in
            #expect(greeting.resume.selectedProtocol == "graphql-transport-ws")
            try await greeting.send(GraphFrame("connection_init"))
            try await greeting.reply { $0.type == "connection_ack" }
        }
        let socket = try await chain.process()
        let calls = SocketCalls(socket) { $0.id }
        let others = Task {
            for await other in calls.others where other.type == "ping" { try await socket.send(GraphFrame("pong")) }
        }
        await until { socket.statistics.messagesSent == 2 }
        let subscribe = { (id: String, query: Json) in
            let start = GraphFrame("subscribe", id, ["query": query])
            return calls.stream(id, start, leaving: GraphFrame("complete", id), resumes: true) { $0.type != "next" }
        }
        #expect(try await subscribe("1", "{ once }").collect().map(\.type) == ["next", "complete"])
        #expect(try await subscribe("2", "{ wrong }").collect().map(\.payload) == [["message": "wrong"]])
        var prices: [Json?] = []
        for try await frame in subscribe("3", "{ price }") {
            prices.append(frame.payload)
            if prices.count == 2 { break }
            try await stage.connectAgain(socket)
        }
        #expect(prices == [["price": 1], ["price": 2]])
        await until { socket.statistics.messagesSent == 9 }
        #expect(await calls.close() == SocketClose(.normal))
        try await others.value
    }
}
