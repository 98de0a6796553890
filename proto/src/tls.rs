//! Mutual TLS between agents, analyzer and command line: what one side shows, whom it believes, and why a connection failed.

use std::error::Error;
use std::fmt;
use std::io::Read;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::CertificateError;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig, Uri};

/// Name in the certificate of a job's clients. No host has it, so that none is taken for the analyzer.
pub const CLIENT_NAME: &str = "client.midrun.invalid";

/// Certificates and key of one side. All three texts are PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Certificates of the authorities that sign the other side's certificate.
    pub authority: String,
    /// Own certificate, with those between it and the authority.
    pub certificate: String,
    /// Private key of the own certificate.
    pub key: String,
    /// Name in the analyzer's certificate. Empty: the host in the analyzer's URL.
    pub analyzer_name: String,
}

/// Not the key: this gets into logs.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("analyzer_name", &self.analyzer_name).finish_non_exhaustive()
    }
}

/// A text of [`Credentials`] that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// No certificate is in the authority's text.
    Authority,
    /// No certificate is in the own one.
    Certificate,
    /// There is no private key, or none that can be used.
    Key,
    /// The key is not that of the certificate.
    OtherKey,
}

fn certificates(pem: &str) -> Option<Vec<CertificateDer<'static>>> {
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().ok()?;
    (!all.is_empty()).then_some(all)
}

impl Credentials {
    /// Checks that the texts are what they should be, and that the key belongs to the certificate.
    ///
    /// # Errors
    /// The first text that cannot be used.
    pub fn check(&self) -> Result<(), Unusable> {
        let mut authorities = rustls::RootCertStore::empty();
        let (added, _) =
            authorities.add_parsable_certificates(certificates(&self.authority).ok_or(Unusable::Authority)?);
        if added == 0 {
            return Err(Unusable::Authority);
        }
        let chain = certificates(&self.certificate).ok_or(Unusable::Certificate)?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(|_| Unusable::Key)?;
        match rustls::sign::CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider()) {
            Ok(_) => Ok(()),
            Err(rustls::Error::InconsistentKeys(_)) => Err(Unusable::OtherKey),
            Err(rustls::Error::InvalidCertificate(_)) => Err(Unusable::Certificate),
            Err(_) => Err(Unusable::Key),
        }
    }

    /// One word without spaces, for an environment or a file of the user alone.
    pub fn to_word(&self) -> String {
        [&self.analyzer_name, &self.authority, &self.certificate, &self.key]
            .map(|text| URL_SAFE_NO_PAD.encode(text))
            .join(".")
    }

    /// What [`Credentials::to_word`] made; `None` for anything else.
    pub fn from_word(word: &str) -> Option<Credentials> {
        let text = |part: &str| String::from_utf8(URL_SAFE_NO_PAD.decode(part).ok()?).ok();
        let [analyzer_name, authority, certificate, key] =
            word.split('.').map(text).collect::<Option<Vec<_>>>()?.try_into().ok()?;
        Some(Credentials { authority, certificate, key, analyzer_name })
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(&self.certificate, &self.key)
    }

    /// For a server, which accepts no client without a certificate of the authority.
    pub fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity()).client_ca_root(Certificate::from_pem(&self.authority))
    }

    /// The same for a server of another protocol than gRPC.
    ///
    /// # Errors
    /// Texts that [`Credentials::check`] refuses.
    pub fn tls_server(&self) -> Result<Arc<rustls::ServerConfig>, rustls::Error> {
        let unusable = |_| rustls::Error::General("certificates or key cannot be used".into());
        let no_text = || rustls::Error::General("there is no certificate".into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut authorities = rustls::RootCertStore::empty();
        authorities.add_parsable_certificates(certificates(&self.authority).ok_or_else(no_text)?);
        let clients =
            rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), provider.clone())
                .build()
                .map_err(|error| rustls::Error::General(error.to_string()))?;
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(clients)
            .with_single_cert(
                certificates(&self.certificate).ok_or_else(no_text)?,
                PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(unusable)?,
            )?;
        Ok(Arc::new(config))
    }

    fn client(&self) -> ClientTlsConfig {
        let config =
            ClientTlsConfig::new().identity(self.identity()).ca_certificate(Certificate::from_pem(&self.authority));
        if self.analyzer_name.is_empty() { config } else { config.domain_name(&self.analyzer_name) }
    }
}

/// The analyzer at `url`, to be connected to by TLS with `credentials`. Plain text (`http://`) is for this host's own address only.
///
/// # Errors
/// One sentence on what is wrong with the URL or the credentials.
pub fn endpoint(url: &str, credentials: Option<&Credentials>) -> Result<Endpoint, String> {
    let no_url = || format!("{url} is not the URL of an analyzer, such as https://node1:7741");
    let endpoint = Endpoint::from_shared(url.to_owned()).map_err(|_| no_url())?;
    let host = endpoint.uri().host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    match endpoint.uri().scheme_str() {
        Some("https") => {
            let needed = || {
                format!(
                    "the analyzer at {url} is reached by certificates only: give --tls-ca, --tls-cert and --tls-key"
                )
            };
            let config = credentials.ok_or_else(needed)?.client();
            endpoint
                .tls_config(config)
                .map_err(|error| format!("the certificates for {url} cannot be used: {}", cause(&error)))
        }
        Some("http") if is_loopback(&host) => Ok(endpoint),
        Some("http") => Err(format!(
            "{url} would be plain text to another host: give its URL as https://, with --tls-ca, --tls-cert and --tls-key"
        )),
        _ => Err(no_url()),
    }
}

/// An agent of the same job at `url`, which carries this agent's stream: whoever has a certificate of the job's clients.
///
/// # Errors
/// As of [`endpoint`].
pub fn parent(url: &str, credentials: Option<&Credentials>) -> Result<Endpoint, String> {
    let credentials = credentials.map(|own| Credentials { analyzer_name: CLIENT_NAME.to_owned(), ..own.clone() });
    endpoint(url, credentials.as_ref())
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Why a connection or a call failed: what TLS has against it, else the innermost cause (tonic itself says only "transport error").
pub fn cause(error: &(dyn Error + 'static)) -> String {
    refusal(error).unwrap_or_else(|| causes(error).last().unwrap_or(error).to_string())
}

/// What TLS has against a connection that failed; `None`: nothing.
pub fn refusal(error: &(dyn Error + 'static)) -> Option<String> {
    causes(error).find_map(|cause| match cause.downcast_ref() {
        Some(error) => Some(sentence(error)),
        // Of an error that comes after the handshake h2 keeps the text only.
        None => cause.to_string().rsplit_once(ALERT).map(|(_, alert)| refused_by_the_analyzer(alert)),
    })
}

/// What the analyzer at `url` has against these credentials; `None`: nothing, or it does not answer within `patience`.
///
/// In TLS 1.3 a client's handshake is over before the analyzer has seen its certificate. A refusal then comes while the client's
/// first request is on its way, and is lost in some runs. Here nothing is sent, so the analyzer's first bytes tell.
pub fn refused_by(url: &str, credentials: &Credentials, patience: Duration) -> Option<String> {
    let uri: Uri = url.parse().ok().filter(|uri: &Uri| uri.scheme_str() == Some("https"))?;
    let host = uri.host()?.trim_matches(['[', ']']).to_owned();
    let address = (host.as_str(), uri.port_u16()?).to_socket_addrs().ok()?.next()?;
    let name = if credentials.analyzer_name.is_empty() { host } else { credentials.analyzer_name.clone() };
    let mut authorities = rustls::RootCertStore::empty();
    authorities.add_parsable_certificates(certificates(&credentials.authority)?);
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(authorities)
        .with_client_auth_cert(
            certificates(&credentials.certificate)?,
            PrivateKeyDer::from_pem_slice(credentials.key.as_bytes()).ok()?,
        )
        .ok()?;
    let mut connection = rustls::ClientConnection::new(Arc::new(config), name.try_into().ok()?).ok()?;
    let mut socket = TcpStream::connect_timeout(&address, patience).ok()?;
    socket.set_read_timeout(Some(patience)).ok()?;
    let first = rustls::Stream::new(&mut connection, &mut socket).read(&mut [0]);
    first.err().and_then(|error| refusal(&error))
}

/// How the text of an alert begins, before the alert's name.
const ALERT: &str = "received fatal alert: ";

fn refused_by_the_analyzer(alert: &str) -> String {
    // TLS has one alert for both.
    let why = if alert.starts_with("CertificateExpired") {
        "it has expired or is not valid yet, by the clock of the analyzer's host"
    } else {
        "its authority has not signed it (--tls-cert)"
    };
    format!("the analyzer refuses the certificate of this side: {why}")
}

/// An error and what it came from, the innermost last.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        // An io::Error hides what it was made of from `source`.
        let made_of = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        made_of.map(|error| error as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn sentence(error: &rustls::Error) -> String {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet, NotValidYetContext,
    };
    match error {
        rustls::Error::InvalidCertificate(Expired | ExpiredContext { .. }) => {
            "the analyzer's certificate has expired, or the clock of this host is ahead".into()
        }
        rustls::Error::InvalidCertificate(NotValidYet | NotValidYetContext { .. }) => {
            "the analyzer's certificate is not valid yet, or the clock of this host is behind".into()
        }
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            "the analyzer's certificate is for another host than its URL names".into()
        }
        rustls::Error::InvalidCertificate(_) => {
            "who answers there has no certificate of the authority that this side believes (--tls-ca)".into()
        }
        rustls::Error::AlertReceived(alert) => refused_by_the_analyzer(&format!("{alert:?}")),
        rustls::Error::InvalidMessage(_) => "who answers there does not speak TLS".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, make};

    #[test]
    fn credentials_travel_as_one_word_and_nothing_else_is_taken_for_one() {
        let Keys { analyzer, client } = make(&["a".into()], "a").unwrap();
        for side in [analyzer, client] {
            assert_eq!(side.check(), Ok(()));
            let word = side.to_word();
            assert!(word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{word}");
            assert_eq!(Credentials::from_word(&word), Some(side.clone()));
            assert!(!format!("{side:?}").contains("PRIVATE"));
        }
        for bad in ["", "a.b", "....", "%.%.%.%", "a.b.c.d.e"] {
            assert_eq!(Credentials::from_word(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_text_that_cannot_be_used_is_named() {
        let Keys { analyzer, client } = make(&["a".into()], "").unwrap();
        let bad = |change: fn(&mut Credentials)| {
            let mut credentials = client.clone();
            change(&mut credentials);
            credentials.check()
        };
        assert_eq!(bad(|c| c.authority.clear()), Err(Unusable::Authority));
        assert_eq!(bad(|c| c.certificate = c.key.clone()), Err(Unusable::Certificate));
        assert_eq!(bad(|c| c.key = c.certificate.clone()), Err(Unusable::Key));
        assert_eq!(Credentials { key: analyzer.key, ..client }.check(), Err(Unusable::OtherKey));
    }

    #[test]
    fn plain_text_is_for_this_host_and_tls_needs_credentials() {
        let Keys { client, .. } = make(&["a".into()], "").unwrap();
        for url in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"] {
            assert!(endpoint(url, None).is_ok(), "{url}");
        }
        for url in ["http://node1:7741", "http://10.0.0.1:7741", "http://127.0.0.1.example.org:1"] {
            let why = endpoint(url, Some(&client)).unwrap_err();
            assert!(why.contains("plain text to another host") && why.contains("https://"), "{why}");
        }
        assert!(endpoint("https://node1:7741", Some(&client)).is_ok());
        assert!(endpoint("https://node1:7741", None).unwrap_err().contains("--tls-ca"));
        for url in ["", "node1", "ftp://node1:1", "what is this"] {
            assert!(endpoint(url, None).unwrap_err().contains("is not the URL of an analyzer"), "{url}");
        }
    }
}
