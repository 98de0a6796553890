//! Where an analyzer listens: an address, and one port or a range from which it takes a free one.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;

use tokio::net::TcpListener;

/// `HOST:PORT` or `HOST:FIRST-LAST`; port 0 is any free one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    host: String,
    ports: RangeInclusive<u16>,
}

impl Listen {
    /// Description of the form for error messages.
    pub const FORM: &str =
        "an address and a port, such as 127.0.0.1:7741, or a range of ports, such as 10.0.0.1:7000-7099";

    /// Reads the form; `None` for any other text.
    pub fn parse(text: &str) -> Option<Listen> {
        let (host, ports) = text.rsplit_once(':').filter(|(host, _)| !host.is_empty())?;
        let ports = match ports.split_once('-') {
            Some((first, last)) => first.parse().ok().filter(|first| *first > 0)?..=last.parse().ok()?,
            None => {
                let port = ports.parse().ok()?;
                port..=port
            }
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        (!ports.is_empty()).then_some(Listen { host, ports })
    }

    /// The addresses that the host has here, each with the first port.
    ///
    /// # Errors
    /// The name is not known.
    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        Ok((self.host.as_str(), *self.ports.start()).to_socket_addrs()?.collect())
    }

    /// Takes the first port of the range that is free, and no interface but that of the address.
    ///
    /// # Errors
    /// No port is free, or the address is not one of this host.
    pub async fn bind(&self) -> io::Result<TcpListener> {
        let mut refused = io::ErrorKind::AddrNotAvailable.into();
        for port in self.ports.clone() {
            match TcpListener::bind((self.host.as_str(), port)).await {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => refused = error,
                bound => return bound,
            }
        }
        Err(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_port_or_a_range() {
        let ports = |text: &str| Listen::parse(text).map(|listen| (listen.host, listen.ports));
        assert_eq!(ports("127.0.0.1:0"), Some(("127.0.0.1".into(), 0..=0)));
        assert_eq!(ports("[::1]:7000-7003"), Some(("::1".into(), 7000..=7003)));
        for bad in ["", "nowhere", ":1", "a:", "a:70000", "a:5-4", "a:0-4", "a:1-2-3", "a:-1"] {
            assert_eq!(ports(bad), None, "{bad}");
        }
    }

    #[tokio::test]
    async fn a_taken_port_is_passed_over_and_a_full_range_is_an_error() {
        // Two ports side by side that are free, of which somebody else may take one in between.
        for _ in 0..100 {
            let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = first.local_addr().unwrap().port();
            let listen = Listen::parse(&format!("127.0.0.1:{port}-{}", port.saturating_add(1))).unwrap();
            let Ok(second) = listen.bind().await else { continue };
            assert_eq!(second.local_addr().unwrap().port(), port + 1);
            assert_eq!(listen.bind().await.unwrap_err().kind(), io::ErrorKind::AddrInUse);
            return;
        }
        panic!("no two ports are free");
    }
}
