/// A name, or a form of text, under which a secret stands: the one table that all readers of the rules are tested with.
package struct SecretKind: Sendable, Hashable, CustomStringConvertible {
    package enum Form: Sendable, Hashable {
        /// The name of a header field.
        case field
        /// The name of an item of a query, a form or a path.
        case item
        /// The name of a JSON member.
        case member
        /// A URL with `$` for the secret.
        case url
        /// A JSON text with `$` for the secret.
        case json
        /// A text of any kind with `$` for the secret.
        case text
        /// A token of a known form with `$` for its secret part, under names that say nothing.
        case value
    }

    package let form: Form
    package let text: String

    package var description: String { "\(form) \(text)" }

    /// What stands in all places of the table, and must stand nowhere else.
    package static let canary = "cANARY7351"
    /// The part of it that is a leak, too, when a text was cut.
    package static let start = "cANA"

    private func filled(_ text: String) -> String {
        text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: Self.canary)
    }

    /// The name of a field.
    package var field: String? { form == .field ? text : nil }

    /// A URL with the secret in it.
    package var url: String? {
        switch form {
        case .item: "https://a.test/x?page=2&\(text)=\(Self.canary)&last=1"
        case .url: filled(text)
        case .value: "https://a.test/x/\(filled(text))/y"
        case .field, .member, .json, .text: nil
        }
    }

    /// A field line of an unknown name with the secret in its value.
    package var line: (name: String, value: String)? { form == .value ? ("X-Acme-Note", "v1 \(filled(text))") : nil }

    /// The content of a form with the secret in it.
    package var urlForm: String? {
        switch form {
        case .item: "page=2&\(text)=\(Self.canary)&last=1"
        case .value: "page=2&seen=\(filled(text))&last=1"
        case .field, .member, .url, .json, .text: nil
        }
    }

    /// A JSON text with the secret in it, in the middle.
    package var json: String {
        switch form {
        case .field, .member: #"{"page":2,"\#(text)":"\#(Self.canary)","last":[true]}"#
        case .item, .url: #"{"page":2,"seen":"\#(url ?? "")","last":[true]}"#
        case .json: filled(text)
        case .text: #"{"page":2,"seen":"\#(Self.escaped(filled(text)))","last":[true]}"#
        case .value: #"{"page":2,"seen":"\#(filled(text))","last":[true,"of \#(filled(text)), again"]}"#
        }
    }

    /// A text for people with the secret in it.
    package var message: String? {
        switch form {
        case .url: "GET \(filled(text)) was refused"
        case .item: "GET /x?page=2&\(text)=\(Self.canary)&last=1 was refused"
        case .text: filled(text)
        case .value: "GET /x/\(filled(text))/y was refused: \(filled(text))."
        case .field, .member, .json: nil
        }
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    }

    private static func kinds(_ form: Form, _ names: String) -> [SecretKind] {
        names.split(whereSeparator: \.isWhitespace).map { SecretKind(form: form, text: String($0)) }
    }

    package static let fields = kinds(
        .field,
        """
        Authorization Proxy-Authorization Cookie Set-Cookie X-Api-Key Api-Key X-Auth-Token X-Access-Token
        X-Amz-Security-Token X-Csrf-Token X-Session-Token X-Goog-Api-Key Client-Secret X-Hub-Signature X-Authorization
        X-Forwarded-Authorization X-Original-Authorization Authentication X-Auth X-Auth-Key X-Access-Key X-Secret-Key
        X-Session X-Session-Id X-Jwt OTP X-OTP X-GitHub-OTP X-Hub-Signature-256 Ocp-Apim-Subscription-Key X-Functions-Key
        DD-APPLICATION-KEY DD-API-KEY X-Consumer-Key X-Amz-Server-Side-Encryption-Customer-Key X-Ms-Encryption-Key
        X-Master-Key X-Encryption-Key X-Credentials X-Bearer X-Pass X-PIN Private-Token X-Vault-Token
        X-Shopify-Access-Token X-Id-Token Apikey X-JWT X-Refresh-Token Authentication-Info Proxy-Authentication-Info
        X-XSRF-TOKEN X-Signature X-Signature-Ed25519 X-Twilio-Signature Stripe-Signature Signature X-Slack-Signature
        X-Line-Signature X-Shopify-Hmac-Sha256 X-WSSE DPoP X-Gitlab-Token X-Plex-Token X-Figma-Token X-Auth-Password
        X-Password X-Secret X-Client-Secret X-Passphrase X-Api-Secret X-APIKey apiKey X_API_KEY xApiKey Cookie2 Set-Cookie2
        X-Auth-Email-Key X-User-Token X-Device-Token X-Push-Token X-Otp-Code X-Mfa-Code X-Token X-SessId X-Auth-Cookie
        X-Parse-Master-Key X-Parse-REST-API-Key X-Algolia-API-Key X-Elastic-Client-Secret X-Storage-Token X-Subject-Token
        """
    )

    package static let items = kinds(
        .item,
        """
        token access_token accessToken Access-Token refresh_token id_token api_key apikey apiKey key password passwd pwd
        Password user[password] user%5Bpassword%5D token[] %74oken %2574oken secret client_secret clientSecret code state sid
        session session_id sessionid auth authtoken auth_token code_verifier otp totp signature Signature sig sv_sig
        X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature X-Goog-Credential AWSAccessKeyId accesskeyid
        SAMLResponse SAMLRequest assertion client_assertion pass pin bearer hmac sas ticket oauth_verifier oauth_token
        oauth_signature app_key appkey auth_key secret_key subscription-key sessid PHPSESSID JSESSIONID jwt csrf_token
        authenticity_token passphrase private_key deviceId identifier hdnts new_password password2 passwordConfirmation
        user.credentials data[attributes][api_key] verification_code
        """
    )

    package static let members = kinds(
        .member,
        """
        password Password passwd pwd passphrase passcode secret clientSecret client_secret token tokens accessToken
        access_token refreshToken refresh_token idToken id_token apiKey api_key apikey APIKey privateKey private_key
        secretKey secret_access_key accessKeyId signingKey encryption_key session sessionId session_id sessionToken jwt otp
        totp pin pass cvv cvc signature sig authorization auth credential credentials bearer csrfToken xsrf_token
        passwordConfirmation password_confirmation newPassword currentPassword user_password db.password master_key ssh_key
        license_key connectionString sharedAccessKey webhook_secret hmac code_verifier client_assertion device_token
        pushToken fcmToken deviceCode recoveryCodes backup_codes verification_code mfa_code seed_phrase mnemonic
        phpsessid JSESSIONID personalAccessToken tokenValue secret_value token_hash userPass
        """
    )

    package static let urls = [
        "https://user:$@a.test/x", "https://$@a.test/x", "https://a.test/x#access_token=$",
        "https://a.test/cart;jsessionid=$", "https://a.test/a;v=1;token=$/b?page=2", "/login;jsessionid=$?page=2",
        "https://a.test/x?next=https%3A%2F%2Fb.test%2F%3Ftoken%3D$", "https://a.test/x?next=%2Fcb%3Fcode%3D$",
        "https://a.test/x?data=%7B%22password%22%3A%22$%22%7D", "https://a.test/x?user%5Btoken%5D=$",
        "https://a.test/x?q=1;token=$", "/cb?access_token=$&page=2", "wss://a.test/socket?token=$",
    ].map { SecretKind(form: .url, text: $0) }

    package static let documents = [
        #"{"token":{"access":"$","expires":3600}}"#, #"{"token":{"a":["$"]},"b":1}"#, #"{"tokens":["$","$"]}"#,
        #"{"session":{"id":"$","user":"Ann"}}"#, #"{"password":["$"]}"#, #"{"credentials":{"user":{"x":"$"}}}"#,
        #"{"\u0070assword":"$"}"#, #"{"body":"{\"password\":\"$\"}"}"#,
        #"{"body":"{\"body\":\"{\\\"password\\\":\\\"$\\\"}\"}"}"#, #"{"data":"user=ann&password=$"}"#,
        #"{"headers":{"Authorization":"Bearer $"}}"#, #"{"line":"Authorization: Bearer $"}"#,
        #"{"sent":"Bearer $"}"#, #"["https://a.test/?token=$"]"#, #"{"json":{"user":{"name":"Ann","pass":"$"}}}"#,
        #"{"a":1}"# + "\n" + #"{"password":"$"}"#, #"{ "secret" : "$" }"#, #"{"api_keys":["$"]}"#,
        #"{"signature":{"value":"$"}}"#, #"{"key":{"secret":"$"}}"#,
    ].map { SecretKind(form: .json, text: $0) }

    package static let texts = [
        "token=$&page=2", "Authorization: Bearer $", "X-Api-Key: $", "sent Bearer $, again", #"{"password": "$"}"#,
        "<login><password>$</password></login>", "<a:token xmlns:a='b'>$</a:token>", #"<login password="$"/>"#,
        "<pass><![CDATA[$]]></pass>",
        "{'token': '$'}", "GET /cb?code=$ failed",
    ].map { SecretKind(form: .text, text: $0) }

    /// JSON Web Tokens and keys of well-known services.
    package static let values = [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.$", "eyJhbGciOiJub25lIn0.$.c2lnbmF0", "eyJ0eXAiOiJKV1QifQ.e30.$-_",
        "eyJlbmMiOiJBMTI4In0.a.b.$.c", "ghp_$aB3dE5gH7jK9mN1pQ3sT", "gho_$aB3dE5gH7j", "ghu_$aB3dE5gH7j",
        "ghs_$aB3dE5gH7j", "ghr_$aB3dE5gH7j", "github_pat_11ABCDE_$aB3dE5", "glpat-$aB3dE5", "gldt-$aB3dE5",
        "sk-ant-api03-$aB3dE5", "sk-proj-$aB3dE5", "sk_live_$aB3dE5", "sk_test_$aB3dE5", "rk_live_$aB3dE5",
        "rk_test_$aB3dE5", "whsec_$aB3dE5", "xoxa-2-$aB3dE5", "xoxb-1234-$aB3dE5", "xoxp-1234-$aB3dE5",
        "xoxr-1234-$aB3dE5", "xoxs-1234-$aB3dE5", "xapp-1-$aB3dE5", "AIzaSy$aB3dE5gH7jK9mN1", "ya29.$aB3dE5gH",
        "SG.$.aB3dE5gH7jK9", "hf_$aB3dE5gH", "npm_$aB3dE5gH", "pypi-$aB3dE5gH", "dop_v1_$aB3dE5", "shpat_$aB3dE5",
        "shpss_$aB3dE5", "hvs.$aB3dE5gH", "sk_live_$aB3dE5_$", "ghp_$$$", "glpat-aB3dE5-$", "AIza-1_$_aB3dE5",
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.$.$", "xoxb-$-$", "whsec_$-aB3dE5",
    ].map { SecretKind(form: .value, text: $0) }

    package static let all = fields + items + members + urls + documents + texts + values
}
