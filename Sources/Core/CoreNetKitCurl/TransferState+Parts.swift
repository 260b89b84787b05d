#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    // The state of an exchange on libcurl's lane: each part is created anew for each exchange.
    extension TransferState {
        /// The terms of the exchange.
        struct Terms {
            private(set) var monitor: ExchangeMonitor?
            /// The length of the content to send, -1 if unknown.
            private(set) var bodyCount: Int64 = 0
            var knowsBodyCount: Bool { bodyCount >= 0 }
            private(set) var (isSecure, isDecoding) = (false, false)
            /// Whether the response has no content, whatever its head says.
            private(set) var hasNoContent = false
            /// Whether the request may be resent if the server may have seen it, and if it cannot have seen it.
            private(set) var (mayRepeatSeen, mayRepeatUnseen) = (false, false)
            /// Whether sending ends as soon as the connection is there: the request is one small write.
            private(set) var isSentAtOnce = true
            /// Whether the loop wants to know about each piece that arrives.
            private(set) var isWatched = false
            /// Whether the head is recorded as libcurl sends it.
            private(set) var keepsSentHead = false

            init() {}

            init(_ transfer: Transfer, _ options: CurlOptions) {
                monitor = transfer.terms.monitor
                bodyCount = transfer.bodyCount
                isSecure = transfer.terms.destination.isSecure
                isDecoding = transfer.wire.asksForCoding
                hasNoContent = transfer.wire.verb == .head || transfer.wire.endsAtHead
                (mayRepeatSeen, mayRepeatUnseen) = (transfer.terms.mayRepeatSeen, transfer.terms.mayRepeatUnseen)
                isSentAtOnce = transfer.wire.verb != .upload || transfer.upload.length == 0
                if case .stream = transfer.terms.receiver { isWatched = true }
                if transfer.wire.endsAtHead { isWatched = true }
                keepsSentHead = transfer.terms.reportsSentHeaders
            }
        }

        /// The state of the request.
        struct Sending {
            var upload = UploadSource.none
            /// Bytes of the body given to libcurl.
            var sent: Int64 = 0
            /// libcurl's count of the body's sent bytes when the loop last checked.
            var written: Int64 = 0
            var isPaused = false
            var isDone = false
            /// Whether the server refused the request before it was complete.
            var isRefusedEarly = false
            var sentAt: Int64 = 0
            /// When the content is sent though the server has not asked for it; 0 means now.
            var continueAt: Int64 = 0
            /// Whether libcurl waits for that.
            var isHeld = false
            /// The head that libcurl sent last, if the request asks for it.
            var sentHead = RawBytes()

            /// Whether libcurl may be waiting for content, and not for the connection.
            var waitsForContent: Bool { if case .pump = upload { true } else { continueAt != 0 } }
        }

        /// What has arrived of the response.
        struct Response {
            /// The bytes of the final response's head, from its status line on.
            var head = RawBytes()
            var headIsComplete = false
            var status: Int32 = 0
            var content = ContentSink()
            /// What the head says, once it is complete.
            var known: ResponseHead?
            /// The lines after the content.
            var trailers = RawBytes()
            var interim: [InterimResponse] = []
            var firstByteAt: Int64 = 0
            var isPaused = false
            /// Whether it refuses a request before all of its body was sent.
            var isEarly = false

            /// Whether all of the content has arrived, as far as the head tells its length.
            var isWhole: Bool {
                switch known?.framing {
                case BodyFraming.none?: true
                case .length(let length): content.received >= length
                case .chunked, .untilClose, nil: false
                }
            }

            var hasLength: Bool { if case .length = known?.framing { true } else { false } }

            mutating func free() {
                head.free()
                content.bytes.free()
                trailers.free()
            }
        }

        /// What is known about the request's connection.
        struct Link {
            var connectStartedAt: Int64 = 0
            var connectedAt: Int64 = 0
            var lastActivity: Int64 = 0
            /// The request's progress on connections that libcurl has given up.
            var before = RequestProgress.nothing
            /// The key of the server whose name a new connection's certificate must have.
            var named: String?
            /// Whether a socket was opened for the connection that comes next.
            var openedSocket = false
            /// Whether HTTP/3 was used, for the loop to note.
            var hasHTTP3: Bool?
            /// Whether the connection was made for this exchange.
            var isNewConnection = false
            /// The connection's socket, -1 if unknown.
            var socket: Int32 = -1
        }
    }
#endif
