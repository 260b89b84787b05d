#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    extension CurlLoop {
        func attend() {
            guard !shared.news.isEmpty else { return }
            // Reading on produces news, which the next turn handles.
            swap(&shared.news, &announced)
            defer { announced.removeAll(keepingCapacity: true) }
            for number in announced {
                guard let handle = handles[number] else { continue }
                let transfer = handle.transfer
                handle.hasNews = false
                noteHTTP3(of: transfer, handle)
                if handle.sending.isRefused {
                    handle.closeConnection()
                    resumeSending(transfer)
                } else {
                    resumeAfterContinue(transfer, handle)
                }
                guard !handle.isOver, !completesEarly(transfer, handle) else { continue }
                guard handle.receiving.head != nil else { continue }
                if let pipe = pipe(of: transfer, handle) {
                    handOver(transfer, handle, to: pipe)
                    if handle.receiving.isPaused, pipe.wantRoom() { resumeReceiving(transfer) }
                }
                if transfer.wire.endsAtHead, !handle.isOver {
                    handle.closeConnection()
                    complete(transfer, handle)
                }
            }
        }

        /// Goes on with a body that waited until the server asked for it, if it has or the wait is over.
        func resumeAfterContinue(_ transfer: Transfer, _ handle: EasyHandle) {
            guard transfer.wire.expectsContinue else { return }
            if handle.sending.continueDeadline > shared.now {
                // Before a connection is there, nothing is waited for.
                return check(at: handle.sending.continueDeadline)
            }
            handle.sending.continueDeadline = 0
            guard handle.isHeld else { return }
            handle.isHeld = false
            resumeSending(transfer)
        }

        /// Ends an exchange, if its response is complete, whose body is still being sent (RFC 9113, 8.1): older libcurl
        /// waits for send window that the server, which has refused the request, never grants.
        private func completesEarly(_ transfer: Transfer, _ handle: EasyHandle) -> Bool {
            guard handle.isEarly, handle.isWhole else { return false }
            let written = cnc_easy_size(handle.easy, CNCINFO_SIZE_UPLOAD_T)
            guard written < transfer.bodyCount || transfer.bodyCount < 0 else { return false }
            handle.closeConnection()
            complete(transfer, handle)
            return true
        }

        /// Whether the response to an incompletely sent request is final: its stream is reset without an error after
        /// it, which does not affect the response (RFC 9114, 4.1.1).
        func isWholeEarly(_ handle: EasyHandle, _ result: Int) -> Bool {
            guard handle.isEarly, handle.receiving.head != nil, !handle.isRefused,
                result == CNCE_HTTP3 || result == CNCE_SEND_ERROR
            else { return false }
            if handle.isWhole { return true }
            // libcurl reports any other end; the expected length is unknown.
            return handle.receiving.head?.framing == .chunked && handle.errorText.pointee == 0
        }

        func resume(_ transfer: Transfer, _ handle: EasyHandle) {
            let result = handle.resume()
            // Newer libcurl has already finished the exchange: its outcome comes next.
            if result == CNCE_BAD_FUNCTION_ARGUMENT { return }
            if result != CNCE_OK { abandon(transfer, CurlFailure.error(for: result, transfer, handle)) }
        }
    }
#endif
