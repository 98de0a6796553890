//! Tells systemd that a daemon is ready (`Type=notify`); nothing where no service manager asked for it.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Sends `READY=1` to the socket that `NOTIFY_SOCKET` names: a path, or with `@` a name in the abstract namespace.
pub fn announce() {
    let Ok(name) = std::env::var("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&name) {
        tracing::warn!(%error, "the service manager is not told that this daemon is ready");
    }
}

fn send(name: &str) -> std::io::Result<()> {
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    UnixDatagram::unbound()?.send_to_addr(b"READY=1", &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_manager_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        send(path.to_str().unwrap()).unwrap();
        let mut got = [0; 16];
        let bytes = manager.recv(&mut got).unwrap();
        assert_eq!(&got[..bytes], b"READY=1");
        assert!(send("/not/there").is_err());
    }
}
