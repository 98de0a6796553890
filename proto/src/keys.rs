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
