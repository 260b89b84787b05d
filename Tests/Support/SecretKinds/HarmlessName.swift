/// Names and values that are no secrets, though some sound like ones: they go where they went before there were rules.
package enum HarmlessName {
    private static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Of IANA's registry, of CDNs, tracing, rate limits and platforms.
    package static let fields = names(
        """
        A-IM Accept Accept-Additions Accept-CH Accept-Charset Accept-Datetime Accept-Encoding Accept-Features
        Accept-Language Accept-Patch Accept-Post Accept-Query Accept-Ranges Accept-Signature
        Access-Control-Allow-Credentials Access-Control-Allow-Headers Access-Control-Allow-Methods
        Access-Control-Allow-Origin Access-Control-Expose-Headers Access-Control-Max-Age Access-Control-Request-Headers
        Access-Control-Request-Method Age Allow ALPN Alt-Svc Alt-Used Alternates Apply-To-Redirect-Ref
        AMP-Cache-Transform Available-Dictionary Cache-Control Cache-Group-Invalidation Cache-Groups Cache-Status
        Capsule-Protocol CDN-Cache-Control CDN-Loop Cert-Not-After Cert-Not-Before Clear-Site-Data Close Configuration-Context
        Connection Content-Base Content-Digest Content-Disposition Content-Encoding Content-ID Content-Language
        Content-Length Content-Location Content-Range Content-Security-Policy Content-Security-Policy-Report-Only
        Content-Type Content-Version Cross-Origin-Embedder-Policy Cross-Origin-Opener-Policy
        Cross-Origin-Resource-Policy DASL Date DAV Default-Style Delta-Base Deprecation Depth Destination Dictionary-ID
        Differential-ID Digest Early-Data ETag Expect Expect-CT Expires Forwarded From Host HTTP2-Settings If If-Match
        If-Modified-Since If-None-Match If-Range If-Schedule-Tag-Match If-Unmodified-Since IM Incremental Isolation
        Keep-Alive Label Last-Event-ID Last-Modified Link Link-Template Location Max-Forwards Memento-Datetime Meter
        MIME-Version Negotiate NEL OData-EntityId OData-Isolation OData-MaxVersion OData-Version Ordering-Type Origin
        Origin-Agent-Cluster OSCORE OSLC-Core-Version Overwrite P3P PEP Permissions-Policy Pragma Prefer
        Preference-Applied Priority Proxy-Authenticate Proxy-Status Public-Key-Pins Range Redirect-Ref Referer Referrer-Policy
        Refresh Replay-Nonce Repr-Digest Retry-After Sec-GPC Sec-Purpose Sec-WebSocket-Accept Sec-WebSocket-Extensions
        Sec-WebSocket-Key Sec-WebSocket-Protocol Sec-WebSocket-Version Server Server-Timing Signature-Input SLUG SoapAction
        Status-URI Strict-Transport-Security Sunset TCN TE Timeout Topic Traceparent Tracestate Trailer Transfer-Encoding
        TTL Upgrade Urgency URI Use-As-Dictionary User-Agent Variant-Vary Vary Via Want-Content-Digest Want-Repr-Digest
        Warning WWW-Authenticate X-Content-Type-Options X-Frame-Options
        Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User Sec-CH-UA Sec-CH-UA-Mobile Sec-CH-UA-Platform DNT
        Save-Data Downlink ECT RTT Upgrade-Insecure-Requests
        CF-Ray CF-Cache-Status CF-Connecting-IP CF-IPCountry True-Client-IP X-Served-By X-Cache X-Cache-Hits X-Cache-Key
        X-Timer Fastly-Debug Surrogate-Control Surrogate-Key X-Amz-Cf-Id X-Amz-Cf-Pop X-Amz-Id-2 X-Amz-Request-Id
        X-Amz-Date X-Amz-Content-Sha256 X-Amz-User-Agent X-Akamai-Request-ID X-Azure-Ref X-Varnish X-Vercel-Id
        X-Vercel-Cache X-Real-IP X-Forwarded-For X-Forwarded-Host X-Forwarded-Port X-Forwarded-Proto X-Forwarded-Prefix
        X-Request-Id X-Correlation-Id X-Amzn-Trace-Id X-Cloud-Trace-Context X-B3-TraceId X-B3-SpanId X-B3-ParentSpanId
        X-B3-Sampled B3 Baggage Uber-Trace-Id X-Datadog-Trace-Id X-Datadog-Parent-Id X-Datadog-Sampling-Priority
        Sentry-Trace X-Ot-Span-Context
        RateLimit RateLimit-Policy RateLimit-Limit RateLimit-Remaining RateLimit-Reset X-RateLimit-Limit
        X-RateLimit-Remaining X-RateLimit-Reset X-RateLimit-Limit-Tokens X-RateLimit-Remaining-Tokens
        X-RateLimit-Reset-Tokens Anthropic-RateLimit-Tokens-Limit Anthropic-RateLimit-Input-Tokens-Remaining
        Anthropic-Version OpenAI-Processing-Ms OpenAI-Version Idempotency-Key X-Idempotency-Key X-Session-Affinity
        X-Api-Version X-GitHub-Api-Version X-GitHub-Media-Type X-GitHub-Request-Id X-OAuth-Scopes-Count X-Requested-With
        X-Powered-By X-Runtime X-UA-Compatible X-DNS-Prefetch-Control X-Download-Options X-Robots-Tag X-Total-Count
        X-Next-Page X-Per-Page X-Page X-Prev-Page X-Total X-Total-Pages X-HTTP-Method-Override X-Corp-Id X-App-Version
        X-Build X-Platform X-Locale X-Timezone X-Region X-Feature-Flags X-Client-Version X-Device-Model X-Debug X-Keyboard
        X-Compass X-Spinner X-Tokenizer X-Authority X-Author X-Signal X-Assigned-To X-Passenger X-Next-Page-Token
        X-Continuation-Token X-Partition-Key X-Routing-Key X-Public-Key X-Monkey X-Secretary X-Keyword
        """
    )

    /// Items of queries and forms.
    package static let items = names(
        """
        page per_page page_size limit offset q query search sort order filter fields include expand lang locale format
        callback since until from to start end id ids name type category tag author keyword keywords monkey compass spinner
        pageToken page_token next_page_token nextPageToken nextToken continuation_token continuationToken cursor after before
        first last sync_token nextSyncToken $skiptoken deltatoken max_tokens token_type tokenizer country_code error_code
        status_code zip_code postal_code currency_code language_code promo_code primary_key sort_key partition_key cache_key
        idempotency_key public_key response_type grant_type redirect_uri client_name scope display prompt max_age
        key_type signature_method session_duration expires_in pin_count width height color version v timestamp
        assigned authority passenger passes design designation shipping lat lng radius zoom units utm_source utm_campaign
        """
    )

    /// JSON members that hold a text.
    package static let members = names(
        """
        id name title description key value type kind status state code message error url href path email username user
        created_at updated_at token_type tokenType next_page_token nextPageToken prev_page_token continuationToken
        continuation cursor next_cursor nextSyncToken pagination_token resume_token page offset limit
        password_changed_at passwordPolicy password_expires_at secret_name key_id kid key_type public_key publicKey
        primary_key foreign_key sort_key partition_key cache_key object_key translation_key message_key idempotency_key
        surrogate_key expires_in expires_at token_expires_at session_duration session_count session_timeout tokenizer
        tokenization token_ids eos_token bos_token pad_token stop_token authorization_endpoint token_endpoint
        token_endpoint_auth_methods_supported jwks_uri credential_issuer signature_algorithm signatureMethod
        signature_version auth_method auth_type authTime author authority authored_by keyboard keywords monkey compass
        passenger passport_country passed bypass spinner pinned opinion assigned design designer signal sigma secretary
        boarding_pass country_code error_code status_code zip_code finish_reason model object role content stop_reason
        logprobs deviceModel locale currency amount checksum etag digest sha256 md5 nonce jti iss sub aud
        """
    )

    /// JSON members that hold a number, though a text under such a name would be a secret or nearly one.
    package static let numbers = names(
        """
        max_tokens prompt_tokens completion_tokens total_tokens input_tokens output_tokens cached_tokens reasoning_tokens
        audio_tokens cache_creation_input_tokens cache_read_input_tokens max_output_tokens max_completion_tokens
        promptTokenCount candidatesTokenCount totalTokenCount thoughtsTokenCount tokens num_tokens tokens_per_minute
        accepted_prediction_tokens rejected_prediction_tokens token key session pin pass signature token_count
        budget_tokens text_tokens image_tokens tokensUsed remaining_tokens
        """
    )

    /// How many rows there are.
    package static var count: Int { fields.count + items.count + members.count + numbers.count }
}
