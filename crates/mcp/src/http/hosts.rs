//! Which `Host` and `Origin` a request may carry.
//!
//! A web page cannot forge either header, so checking them keeps a page that somebody opened from reading the library
//! through the reader's own machine (DNS rebinding, cross-site requests).

use std::net::{IpAddr, SocketAddr};

use super::{HttpOptions, is_loopback};

/// The names under which this server may be called.
#[derive(Debug)]
pub struct Hosts {
    names: Vec<String>,
    origins: Vec<String>,
    /// Off loopback an address as such is no name that anybody could rebind.
    any_address: bool,
}

impl Hosts {
    pub fn new(options: &HttpOptions, address: SocketAddr) -> Self {
        let mut names: Vec<String> = vec!["localhost".to_owned()];
        names.extend(options.allowed_hosts.iter().map(|name| name.trim().to_ascii_lowercase()));
        if !options.host.is_empty() {
            names.push(options.host.trim_matches(['[', ']']).to_ascii_lowercase());
        }
        let origins = options
            .allowed_origins
            .iter()
            .map(|origin| origin.trim().trim_end_matches('/').to_ascii_lowercase());
        Self { names, origins: origins.collect(), any_address: !is_loopback(address.ip()) }
    }

    /// Whether a `Host` header (or the authority of the request line) names this server.
    pub fn allows_host(&self, host: &str) -> bool {
        let Some(name) = host_name(host) else { return false };
        match name.parse::<IpAddr>() {
            Ok(address) => is_loopback(address) || self.any_address || self.names.contains(&name),
            Err(_) => self.names.contains(&name),
        }
    }

    /// Whether an `Origin` header may call: a page of this machine, or one that the settings name.
    pub fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let Some(authority) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
        else {
            return false;
        };
        let Some(name) = host_name(authority) else { return false };
        name == "localhost" || name.parse().is_ok_and(is_loopback)
    }
}

/// The name or address of `name:port`, in lower case.
fn host_name(authority: &str) -> Option<String> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']')?;
            (name, port)
        }
        None => match authority.split_once(':') {
            Some((name, port)) => (name, &authority[authority.len() - port.len() - 1..]),
            None => (authority, ""),
        },
    };
    let port_is_number = match port.strip_prefix(':') {
        Some(digits) => digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    (port_is_number && !name.is_empty()).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(options: &HttpOptions, address: &str) -> Hosts {
        Hosts::new(options, address.parse().unwrap())
    }

    #[test]
    fn on_loopback_only_this_machine_may_be_named() {
        let hosts = hosts(&HttpOptions::default(), "127.0.0.1:8080");
        for good in ["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:1"] {
            assert!(hosts.allows_host(good), "{good}");
        }
        for bad in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1:8080",
            "a:b",
            "[::1",
        ] {
            assert!(!hosts.allows_host(bad), "{bad}");
        }
        for good in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:6274"] {
            assert!(hosts.allows_origin(good), "{good}");
        }
        for bad in [
            "null",
            "",
            "http://evil.example",
            "file://",
            "http://localhost.evil.example",
            "chrome-extension://x",
        ] {
            assert!(!hosts.allows_origin(bad), "{bad}");
        }
    }

    #[test]
    fn off_loopback_addresses_and_named_hosts_are_allowed() {
        let options = HttpOptions {
            host: "0.0.0.0".to_owned(),
            allowed_hosts: vec!["reader.example".to_owned()],
            allowed_origins: vec!["https://portal.example/".to_owned()],
            ..HttpOptions::default()
        };
        let hosts = hosts(&options, "0.0.0.0:80");
        assert!(hosts.allows_host("10.1.2.3") && hosts.allows_host("Reader.Example:443"));
        assert!(!hosts.allows_host("other.example"));
        assert!(
            hosts.allows_origin("https://portal.example") && !hosts.allows_origin("https://other.example")
        );
    }
}
