#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    // What an exchange of libcurl's lane knows: each part is made anew for each exchange.
    extension TransferState {
        /// What the exchange was told at its start.
        struct Terms {
            private(set) var monitor: ExchangeMonitor?
            /// The length of the content that is sent, -1 where nobody knows it.
            private(set) var bodyCount: Int64 = 0
            var knowsBodyCount: Bool { bodyCount >= 0 }
            private(set) var (isSecure, isDecoding) = (false, false)
            /// Whether the response has no content, whatever its head says.
            private(set) var hasNoContent = false
            /// Whether the request may be sent again when the server may have seen it, and when it cannot have.
            private(set) var (mayRepeatSeen, mayRepeatUnseen) = (false, false)
            /// Whether sending ends as soon as the connection is there: the request is one small write.
            private(set) var isSentAtOnce = true
            /// Whether a connection of HTTP/1.1 may be kept: not where the wire would have spoken on it.
            private(set) var keepsHTTP1 = true
            /// Whether the lane of the request depended on what its server speaks, which nobody knew.
            private(set) var asks = false
            /// Whether the loop wants to know of each piece that comes in.
            private(set) var isWatched = false
            /// Whether its connection begins with HTTP/2, or may agree on it.
            private(set) var (speaksHTTP2AtOnce, negotiatesHTTP2) = (false, false)
            /// Whether the head that was sent is kept, and whether libcurl's words are listened to: for that, or since they
            /// alone tell of a refused stream.
            private(set) var (reportsSentHead, listens) = (false, false)

            init() {}

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
                if case .stream = transfer.receiver { isWatched = true }
                if transfer.wire.endsAtHead { isWatched = true }
                speaksHTTP2AtOnce = options.speaksHTTP2AtOnce
                negotiatesHTTP2 = isSecure && options.negotiatesHTTP2
                reportsSentHead = transfer.reportsSentHeaders
                listens =
                    reportsSentHead
                    || CurlLibrary.tellsOfRefusedStreams && mayRepeatUnseen && !mayRepeatSeen
                        && (speaksHTTP2AtOnce || negotiatesHTTP2)
            }
        }

        /// How far the request is.
        struct Sending {
            var upload = UploadSource.none
            /// Bytes of the body given to libcurl.
            var sent: Int64 = 0
            /// What libcurl had counted of the body that is sent when the loop last looked.
            var written: Int64 = 0
            var isPaused = false
            var isDone = false
            /// Whether the server has refused the request before all of it was there.
            var isRefusedEarly = false
            var sentAt: Int64 = 0
            /// The head that libcurl last sent, where the request asks for it.
            var sentHead = RawBytes()
        }

        /// What has come of the response.
        struct Response {
            /// The bytes of the final response's head, from its status line on.
            var head = RawBytes()
            var headIsComplete = false
            var status: Int32 = 0
            var version = "1.1"
            var content = ContentSink()
            /// How the content is coded, which is undone by whoever reads it.
            var codings = ContentCodings()
            var (isChunked, hasLength) = (false, false)
            /// As the head says, where somebody asks.
            var contentLength: Int64 = 0
            /// The lines behind the content.
            var trailers = RawBytes()
            var interim: [InterimResponse] = []
            var firstByteAt: Int64 = 0
            var isPaused = false
            /// Whether it refuses a request of HTTP/2 before all of its body was sent.
            var isEarly = false

            /// Whether all of the content is there, as far as the head says how much that is.
            var isWhole: Bool {
                status == 204 || status == 304 || (hasLength && content.received >= contentLength)
            }

            /// Whether the content's end is marked on the wire.
            ///
            /// In HTTP/2 it always is (RFC 9113, 8.1), but libcurl does not say whether the mark was there: a stream that was
            /// reset without an error, or whose connection failed, looks the same to it. So a length is needed.
            var isDelimited: Bool {
                isChunked || hasLength || version == "3" || status == 204 || status == 304
            }

            mutating func free() {
                head.free()
                content.bytes.free()
                trailers.free()
            }
        }

        /// What is known of the connection that the request is on.
        struct Link {
            var connectStartedAt: Int64 = 0
            var connectedAt: Int64 = 0
            var lastActivity: Int64 = 0
            /// How far the request was on connections that libcurl has given up.
            var before = RequestProgress.nothing
            /// Whether a socket was opened for the connection that is about to come.
            var openedSocket = false
            /// Whether the server had ended the kept connection before the request went out on it.
            var wasDead = false
            /// Whether libcurl has said that the server refused the request's stream.
            var wasRefused = false
            /// Whether others may have streams on the same connection.
            var mayShareConnection = false
            /// What the server was just found to speak over TLS, for the loop to note.
            var spoken: SpokenVersion?
            /// Whether the connection was made for this exchange.
            var isNewConnection = false
            /// The connection's socket, -1 where it is not known.
            var socket: Int32 = -1
            var connection = ConnectionTable.Connection()
        }
    }
#endif
