//! Makes keys and certificates: those of one job, or of a site that has no authority of its own.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

use crate::tls::{CLIENT_NAME, Credentials};

/// Credentials of an analyzer and of its clients. A client's key does not make an analyzer: its certificate has another name. With it an
/// agent carries the streams of others.
#[derive(Debug)]
pub struct Keys {
    /// Of the analyzer.
    pub analyzer: Credentials,
    /// Of agents and people.
    pub client: Credentials,
}

/// Makes an authority, whose key is forgotten at once, and two certificates signed by it. They do not expire (until 4096): hosts whose
/// clocks differ understand each other, and the keys end with what they are for. `names` are hosts, names or addresses, that the
/// analyzer's certificate is for; clients expect `expected` in it, or the host in the analyzer's URL if that is empty.
///
/// # Errors
/// A name that no certificate can have, or a system without random numbers.
pub fn make(names: &[String], expected: &str) -> Result<Keys, rcgen::Error> {
    let mut parameters = named("midrun authority", &[])?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate()?;
    let authority = parameters.self_signed(&key)?.pem();
    let issuer = Issuer::new(parameters, key);
    let signed = |name, names: &[String], purposes| {
        let mut parameters = named(name, names)?;
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        parameters.extended_key_usages = purposes;
        let key = KeyPair::generate()?;
        Ok::<_, rcgen::Error>(Credentials {
            authority: authority.clone(),
            certificate: parameters.signed_by(&key, &issuer)?.pem(),
            key: key.serialize_pem(),
            analyzer_name: expected.to_owned(),
        })
    };
    let client = vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
    Ok(Keys {
        analyzer: signed("midrun analyzer", names, vec![ExtendedKeyUsagePurpose::ServerAuth])?,
        client: signed("midrun client", &[CLIENT_NAME.to_owned()], client)?,
    })
}

fn named(name: &str, names: &[String]) -> Result<CertificateParams, rcgen::Error> {
    let mut parameters = CertificateParams::new(names)?;
    parameters.distinguished_name.push(DnType::CommonName, name);
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::RootCertStore;
    use rustls::client::danger::ServerCertVerifier;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, UnixTime};

    use super::*;

    /// Whether either side believes the other, at this time.
    fn believed(Keys { analyzer, client }: &Keys, unix_s: u64) -> [bool; 2] {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(unix_s));
        let of =
            |credentials: &Credentials| CertificateDer::from_pem_slice(credentials.certificate.as_bytes()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut authority = RootCertStore::empty();
        authority.add(CertificateDer::from_pem_slice(client.authority.as_bytes()).unwrap()).unwrap();
        let authority = Arc::new(authority);
        let by_client =
            rustls::client::WebPkiServerVerifier::builder_with_provider(authority.clone(), provider.clone());
        let by_analyzer = rustls::server::WebPkiClientVerifier::builder_with_provider(authority, provider);
        let name = client.analyzer_name.clone().try_into().unwrap();
        [
            by_client.build().unwrap().verify_server_cert(&of(analyzer), &[], &name, &[], now).is_ok(),
            by_analyzer.build().unwrap().verify_client_cert(&of(client), &[], now).is_ok(),
        ]
    }

    #[test]
    fn hosts_whose_clocks_are_days_or_decades_apart_believe_each_other() {
        let keys = make(&["analyzer".to_owned()], "analyzer").unwrap();
        let year = 31_556_952;
        // A clock that nobody set begins in 1970, most of them later.
        for unix_s in [10 * year, 50 * year, 56 * year, 130 * year, 1_000 * year] {
            assert_eq!(believed(&keys, unix_s), [true; 2], "{unix_s} s");
        }
        assert_eq!(believed(&keys, 3_000 * year), [false; 2], "this test would see it");
    }
}
