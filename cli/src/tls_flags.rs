//! The flags that name certificates, and the credentials that their files hold.

use std::fs::File;
use std::path::{Path, PathBuf};

use midrun_proto::tls::{Credentials, Unusable};

use crate::secret_file;
use crate::text_file;
use crate::usage::{Usage, usage};

/// Certificates and key for TLS.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct TlsFlags {
    /// Certificates (PEM) of the authorities that sign the certificate of the other side; with --tls-cert and --tls-key
    #[arg(long, value_name = "FILE", help_heading = "Several hosts and standing analyzers")]
    pub tls_ca: Option<PathBuf>,
    /// The own certificate (PEM)
    #[arg(long, value_name = "FILE", help_heading = "Several hosts and standing analyzers")]
    pub tls_cert: Option<PathBuf>,
    /// Its private key (PEM), readable by its owner only
    #[arg(long, value_name = "FILE", help_heading = "Several hosts and standing analyzers")]
    pub tls_key: Option<PathBuf>,
}

impl TlsFlags {
    /// Whether one was given.
    pub fn is_given(&self) -> bool {
        self.tls_ca.is_some() || self.tls_cert.is_some() || self.tls_key.is_some()
    }

    /// Those that were given, as settings with the keys of a section: for authority, certificate and key.
    pub fn settings(&self, keys: [&'static str; 3]) -> Vec<(&'static str, String)> {
        let files = [&self.tls_ca, &self.tls_cert, &self.tls_key];
        let given = keys.into_iter().zip(files);
        given.filter_map(|(key, file)| Some((key, file.as_ref()?.to_string_lossy().into_owned()))).collect()
    }
}

/// Reads what the three files hold; `None` without any.
///
/// # Errors
/// A [`Usage`]: one of the three is missing, cannot be read, or is not what it should be; others may read the key.
pub fn read(ca: Option<&Path>, certificate: Option<&Path>, key: Option<&Path>) -> anyhow::Result<Option<Credentials>> {
    let (ca, certificate, key) = match (ca, certificate, key) {
        (None, None, None) => return Ok(None),
        (Some(ca), Some(certificate), Some(key)) => (ca, certificate, key),
        (ca, certificate, _) => {
            let missing = if ca.is_none() {
                "tls_ca"
            } else if certificate.is_none() {
                "tls_cert"
            } else {
                "tls_key"
            };
            return usage(format!(
                "certificates are given by tls_ca, tls_cert and tls_key together: {missing} is missing"
            ));
        }
    };
    let credentials = Credentials {
        authority: text(ca, false)?,
        certificate: text(certificate, false)?,
        key: text(key, true)?,
        analyzer_name: String::new(),
    };
    credentials.check().map_err(|unusable| match unusable {
        Unusable::Authority => Usage(format!("{} holds no certificate (PEM) of an authority", ca.display())),
        Unusable::Certificate => Usage(format!("{} holds no certificate (PEM)", certificate.display())),
        Unusable::Key => Usage(format!("{} holds no private key (PEM) that can be used", key.display())),
        Unusable::OtherKey => {
            Usage(format!("{} is not the key of the certificate {}", key.display(), certificate.display()))
        }
    })?;
    Ok(Some(credentials))
}

fn text(path: &Path, is_secret: bool) -> anyhow::Result<String> {
    let failed = |error| Usage(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(failed)?;
    if is_secret {
        secret_file::refuse_if_open("private key", path, &file.metadata().map_err(failed)?)?;
    }
    Ok(text_file::read(&file, text_file::MOST_BYTES).map_err(failed)?)
}
