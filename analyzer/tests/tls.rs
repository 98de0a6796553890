//! The analyzer behind mutual TLS: who gets in, and who cannot pass for it.

use std::time::Duration;

use midrun_analyzer::{Config, limits, overview, serve};
use midrun_proto::keys::{Keys, make};
use midrun_proto::tls::{Credentials, cause, endpoint, refusal};
use midrun_proto::token::ShowToken;
use midrun_proto::v1::ListJobsRequest;
use midrun_proto::v1::admin_client::AdminClient;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

const TOKEN: &str = "sesame";
const NAME: &str = "analyzer";

/// A test that hangs says so.
const WATCHDOG: Duration = Duration::from_secs(60);

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(WATCHDOG, future).await.expect("the watchdog ended the wait")
}

fn keys() -> Keys {
    make(&[NAME.to_owned()], NAME).unwrap()
}

/// An analyzer with these credentials and the token; its address. It ends with the test's runtime.
async fn start(credentials: Credentials) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = Config { token: TOKEN.into(), credentials: Some(credentials), ..Config::default() };
    tokio::spawn(serve(config, listener, overview::nobody(), std::future::pending()));
    address
}

/// Lists the jobs with the right token over an endpoint; an error as a user reads it, and whether TLS is the reason.
async fn ask(endpoint: Endpoint) -> Result<usize, (String, bool)> {
    let list = |channel: Channel| async {
        let mut admin = AdminClient::with_interceptor(channel, ShowToken::new(TOKEN));
        let answer = soon(admin.list_jobs(ListJobsRequest { token: TOKEN.into() })).await;
        answer.map_err(|status| (cause(&status), refusal(&status).is_some()))
    };
    let channel = soon(endpoint.connect()).await.map_err(|error| (cause(&error), refusal(&error).is_some()))?;
    list(channel).await.map(|answer| answer.into_inner().jobs.len())
}

async fn ask_with(address: &str, credentials: &Credentials) -> Result<usize, (String, bool)> {
    ask(endpoint(&format!("https://{address}"), Some(credentials)).unwrap()).await
}

#[tokio::test]
async fn a_client_with_the_token_but_without_the_key_is_refused() {
    let (ours, others) = (keys(), keys());
    let address = start(ours.analyzer.clone()).await;
    assert_eq!(ask_with(&address, &ours.client).await, Ok(0));

    let authority = Certificate::from_pem(&ours.client.authority);
    let without = ClientTlsConfig::new().domain_name(NAME).ca_certificate(authority);
    let without = Endpoint::from_shared(format!("https://{address}")).unwrap().tls_config(without).unwrap();
    let (why, by_tls) = ask(without).await.unwrap_err();
    assert!(by_tls && why.contains("refuses the certificate of this side"), "{why}");

    // It believes the analyzer, and shows a certificate of another authority.
    let foreign = Credentials { authority: ours.client.authority.clone(), ..others.client };
    let (why, by_tls) = ask_with(&address, &foreign).await.unwrap_err();
    assert!(by_tls && why.contains("its authority has not signed it (--tls-cert)"), "{why}");

    let plain = Endpoint::from_shared(format!("http://{address}")).unwrap();
    assert!(ask(plain).await.is_err(), "no plain text at all");
    assert_eq!(ask_with(&address, &ours.client).await, Ok(0), "the others are served as before");
}

#[tokio::test]
async fn an_analyzer_of_another_authority_gets_one_sentence_and_nothing_else() {
    let (ours, others) = (keys(), keys());
    let address = start(others.analyzer).await;
    let (why, by_tls) = ask_with(&address, &ours.client).await.unwrap_err();
    assert!(by_tls && why.contains("no certificate of the authority that this side believes (--tls-ca)"), "{why}");
}

#[tokio::test]
async fn a_clients_key_makes_no_analyzer_and_another_hosts_certificate_is_not_enough() {
    let ours = keys();
    let address = start(ours.client.clone()).await;
    let (why, by_tls) = ask_with(&address, &ours.client).await.unwrap_err();
    assert!(by_tls && why.contains("for another host than its URL names"), "{why}");

    let address = start(ours.analyzer).await;
    let by_url = Credentials { analyzer_name: String::new(), ..ours.client };
    let (why, by_tls) = ask_with(&address, &by_url).await.unwrap_err();
    assert!(by_tls && why.contains("for another host than its URL names"), "{why}");
}

#[tokio::test]
async fn strangers_who_never_finish_a_handshake_keep_nobody_out_and_are_closed() {
    let ours = keys();
    let address = start(ours.analyzer.clone()).await;
    let mut strangers = Vec::new();
    for _ in 0..2 * limits::STRANGERS {
        strangers.push(TcpStream::connect(&address).await.unwrap());
    }
    assert_eq!(ask_with(&address, &ours.client).await, Ok(0));
    for stranger in &mut strangers {
        let closed = async {
            let mut byte = [0; 1];
            tokio::io::AsyncReadExt::read(stranger, &mut byte).await
        };
        assert!(matches!(soon(closed).await, Ok(0) | Err(_)));
    }
}

/// Credentials for both sides by one authority, valid in these years.
fn valid_in(analyzer: [i32; 2], client: [i32; 2]) -> [Credentials; 2] {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = parameters.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(parameters, key);
    [(analyzer, ExtendedKeyUsagePurpose::ServerAuth), (client, ExtendedKeyUsagePurpose::ClientAuth)].map(
        |([first, last], purpose)| {
            let mut parameters = CertificateParams::new([NAME.to_owned()]).unwrap();
            (parameters.not_before, parameters.not_after) = (date_time_ymd(first, 1, 1), date_time_ymd(last, 1, 1));
            parameters.extended_key_usages = vec![purpose];
            let key = KeyPair::generate().unwrap();
            Credentials {
                authority: authority.clone(),
                certificate: parameters.signed_by(&key, &issuer).unwrap().pem(),
                key: key.serialize_pem(),
                analyzer_name: NAME.into(),
            }
        },
    )
}

#[tokio::test]
async fn an_expired_certificate_of_either_side_is_said_so() {
    let (past, now, future) = ([1999, 2001], [1999, 4000], [3999, 4000]);
    for (years, part) in [
        ((past, now), "the analyzer's certificate has expired, or the clock of this host is ahead"),
        ((future, now), "the analyzer's certificate is not valid yet, or the clock of this host is behind"),
        (
            (now, past),
            "refuses the certificate of this side: it has expired or is not valid yet, by the clock of the analyzer's host",
        ),
        (
            (now, future),
            "refuses the certificate of this side: it has expired or is not valid yet, by the clock of the analyzer's host",
        ),
    ] {
        let [analyzer, client] = valid_in(years.0, years.1);
        let (why, by_tls) = ask_with(&start(analyzer).await, &client).await.unwrap_err();
        assert!(by_tls && why.contains(part), "{part}: {why}");
    }
    let [analyzer, client] = valid_in(now, now);
    assert_eq!(ask_with(&start(analyzer).await, &client).await, Ok(0));
}
