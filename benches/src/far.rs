//! A network that is further away: forwards TCP connections and delays each direction by half of a round trip.

use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A thread that sleeps is woken late by about so much (the timer's slack and the scheduler); the rest of a delay it spins.
const WOKEN_LATE: Duration = Duration::from_micros(120);

/// Listens on a port of this host, whose address is returned, and passes what comes on to `target`, later by half of `round_trip` in each
/// direction; order and bandwidth stay. Its threads end with their connections, or with the process.
///
/// # Errors
/// No port is free.
pub fn forward(target: SocketAddr, round_trip: Duration) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port for the forwarder")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = TcpStream::connect(target) else { continue };
            let _ = both_ways(near, far, round_trip / 2);
        }
    });
    Ok(address)
}

fn both_ways(near: TcpStream, far: TcpStream, delay: Duration) -> std::io::Result<()> {
    for (from, to) in [(near.try_clone()?, far.try_clone()?), (far, near)] {
        from.set_nodelay(true)?;
        let (sent, due) = channel();
        std::thread::spawn(move || read(from, &sent, delay));
        std::thread::spawn(move || write(to, &due));
    }
    Ok(())
}

/// What is on its way, and when it arrives. Nothing: the sender has closed.
type Flight = (Instant, Vec<u8>);

fn read(mut from: TcpStream, sent: &Sender<Flight>, delay: Duration) {
    let mut room = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut room).unwrap_or(0);
        let is_over = sent.send((Instant::now() + delay, room[..count].to_vec())).is_err() || count == 0;
        if is_over {
            return;
        }
    }
}

fn write(mut to: TcpStream, due: &Receiver<Flight>) {
    for (at, bytes) in due {
        std::thread::sleep(at.saturating_duration_since(Instant::now() + WOKEN_LATE));
        while Instant::now() < at {
            std::hint::spin_loop();
        }
        if bytes.is_empty() || to.write_all(&bytes).is_err() {
            let _ = to.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

/// A server that answers what comes with the same, at the address that is returned.
///
/// # Errors
/// No port is free.
pub fn echo() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port for the echo")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut room = [0; 64];
                let _ = stream.set_nodelay(true);
                while let Ok(count @ 1..) = stream.read(&mut room) {
                    if stream.write_all(&room[..count]).is_err() {
                        return;
                    }
                }
            });
        }
    });
    Ok(address)
}

/// Round trips of 64 bytes to the echo at `address`, one each `pause`, until `is_over`, seconds.
///
/// # Errors
/// The connection fails.
pub fn round_trips_s(address: SocketAddr, pause: Duration, is_over: impl Fn() -> bool) -> Result<Vec<f64>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (mut room, mut all) = ([7; 64], Vec::new());
    while !is_over() {
        std::thread::sleep(pause);
        let begin = Instant::now();
        stream.write_all(&room)?;
        stream.read_exact(&mut room)?;
        all.push(begin.elapsed().as_secs_f64());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_forwarded_arrives_whole_in_order_and_not_before_its_time() {
        let round_trip = Duration::from_millis(3);
        let address = forward(echo().unwrap(), round_trip).unwrap();
        let left = Cell::new(20);
        let trips_s = round_trips_s(address, Duration::ZERO, || left.replace(left.get() - 1) == 0).unwrap();
        assert_eq!(trips_s.len(), 20);
        assert!(trips_s.iter().all(|s| *s >= 3e-3), "{trips_s:?}");
        let mut stream = TcpStream::connect(address).unwrap();
        let sent: Vec<u8> = (0..1_000_000_u32).map(|k| (k % 251) as u8).collect();
        let mut reader = stream.try_clone().unwrap();
        let expected = sent.clone();
        let reading = std::thread::spawn(move || {
            let mut came = vec![0; expected.len()];
            reader.read_exact(&mut came).unwrap();
            assert!(came == expected, "the bytes are others, or in another order");
        });
        stream.write_all(&sent).unwrap();
        reading.join().unwrap();
    }

    #[test]
    fn a_connection_that_is_closed_is_closed_at_the_other_end() {
        let address = forward(echo().unwrap(), Duration::from_millis(1)).unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
    }
}
