#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    // The state of an exchange on libcurl's lane: each part is created anew for each exchange.
    extension TransferState {
        /// What the exchange was told at its start.
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
            /// Whether an HTTP/1.1 connection may be kept: not if this package should have spoken on it.
            private(set) var keepsHTTP1 = true
            /// Whether the request's lane depended on the server's version, which was unknown.
            private(set) var asks = false
            /// Whether its connection, if new, should try HTTP/3.
            private(set) var asksHTTP3 = false
            /// Whether the loop wants to know about each piece that arrives.
            private(set) var isWatched = false
            /// Whether its connection starts with HTTP/2, or may negotiate it.
            private(set) var (speaksHTTP2AtOnce, negotiatesHTTP2) = (false, false)
            private(set) var listening = Listening()

            init() {}

            /// It has been noted whether HTTP/3 was used.
            mutating func noteHTTP3() { asksHTTP3 = false }

            init(_ transfer: Transfer, _ options: CurlOptions) {
                monitor = transfer.monitor
                bodyCount = transfer.bodyCount
                isSecure = transfer.destination.isSecure
                isDecoding = transfer.wire.asksForCoding
                hasNoContent = transfer.wire.verb == .head || transfer.wire.endsAtHead
                (mayRepeatSeen, mayRepeatUnseen) = (transfer.mayRepeatSeen, transfer.mayRepeatUnseen)
                isSentAtOnce = transfer.wire.verb != .upload || transfer.upload.length == 0
                keepsHTTP1 = !options.laneRule.takes(transfer.destination)
                asks = transfer.isUncertain
                asksHTTP3 = transfer.asksHTTP3
                if case .stream = transfer.receiver { isWatched = true }
                if transfer.wire.endsAtHead { isWatched = true }
                speaksHTTP2AtOnce = options.speaksHTTP2AtOnce
                negotiatesHTTP2 = isSecure && options.negotiatesHTTP2
                listening.keepsSentHead = transfer.reportsSentHeaders
                listening.hearsOfRefusal =
                    CurlWords.haveRefusedStreams && mayRepeatUnseen && !mayRepeatSeen
                    && (speaksHTTP2AtOnce || negotiatesHTTP2)
            }
        }

        /// Why libcurl's messages are read.
        struct Listening {
            /// The sent head is wanted.
            var keepsSentHead = false
            /// Only a message tells that a stream was refused.
            var hearsOfRefusal = false

            var isOn: Bool { keepsSentHead || hearsOfRefusal }
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
            /// Whether libcurl was told to wait for that.
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
            var version = "1.1"
            var content = ContentSink()
            /// How the content is coded; its reader decodes it.
            var codings = ContentCodings()
            /// What the head has said about the content's end so far, and whether its last line did.
            var (fields, isFramingField) = (FramingFields(), false)
            /// How the content's end is marked, once the head is complete.
            var framing = BodyFraming.untilClose
            /// The lines after the content.
            var trailers = RawBytes()
            var interim: [InterimResponse] = []
            var firstByteAt: Int64 = 0
            var isPaused = false
            /// Whether it refuses an HTTP/2 request before all of its body was sent.
            var isEarly = false

            /// Whether all of the content has arrived, as far as the head tells its length.
            var isWhole: Bool {
                switch framing {
                case .none: true
                case .length(let length): content.received >= length
                case .chunked, .untilClose: false
                }
            }

            var hasLength: Bool { if case .length = framing { true } else { false } }

            /// Whether the content's end is marked on the wire.
            ///
            /// In HTTP/2 it always is (RFC 9113, 8.1), but libcurl does not say whether the mark arrived: a stream that
            /// was reset without an error, or whose connection failed, looks the same. So a length is needed.
            var isDelimited: Bool { version == "3" || framing.isDelimited }

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
            /// Whether the server had ended the kept connection before the request went out on it.
            var wasDead = false
            /// Whether libcurl has said that the server refused the request's stream.
            var wasRefused = false
            /// Whether the connection may carry other streams.
            var mayShareConnection = false
            /// What the server was just found to speak over TLS, for the loop to note.
            var spoken: SpokenVersion?
            /// Whether HTTP/3 was used if it was asked for, for the loop to note.
            var hasHTTP3: Bool?
            /// Whether the connection was made for this exchange.
            var isNewConnection = false
            /// The connection's socket, -1 if unknown.
            var socket: Int32 = -1
            var connection = ConnectionTable.Connection()
        }
    }
#endif
