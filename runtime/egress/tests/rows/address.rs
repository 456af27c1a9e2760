//! Where a connection may go: the addresses themselves, their spellings, and names.
//!
//! What no test here covers is a name with several answers, or another answer the second time: nothing lets a test
//! stand in for the system's resolver. `origin_client.rs` resolves once for each connection, drops what is not public, and hands
//! the client the addresses that are left; it has no second look-up that could answer differently.

use intentbox_capability::{Grant, Origin, PrivateAddresses};
use intentbox_egress::{Budget, Egress, OriginConfig};

use crate::fixture::{Answer, Server, get, kind, ok, origin, reading};

/// Nothing is sent to an address that is not public, so these tests need no network.
async fn check(host: &str) {
    let answer = reading(origin("a", &format!("http://{host}"), false)).send(get("a:/")).await;
    assert_eq!(kind(answer), "address_refused", "{host}");
}

#[tokio::test]
async fn h01_without_a_grant_nobody_is_asked() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    let config = || origin("a", &format!("http://localhost:{}", server.port), true);
    let exchange = Egress::new(vec![config()]).unwrap().open(Grant::nothing(), Budget::default());
    for url in ["a:/", "a:/x?q=1", &format!("http://localhost:{}/", server.port), "http://localhost/", "b:/"] {
        assert_eq!(kind(exchange.send(get(url)).await), "refused", "{url}");
    }
    // The next connection is the first one.
    assert_eq!(kind(reading(config()).send(get("a:/")).await), "replied");
    assert_eq!((server.connections(), exchange.spent().bytes_up), (1, 0));
}

#[tokio::test]
async fn h02_private_and_special_addresses_are_refused() {
    for host in [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[fc00::1]",
        "[fe80::1]",
        "[ff02::1]",
    ] {
        check(host).await;
    }
}

#[tokio::test]
async fn h02_metadata_services_are_refused() {
    for host in [
        "169.254.169.254", // most clouds
        "169.254.170.2",   // containers
        "169.254.170.23",  // clusters
        "100.100.100.200", // one that took an address of carrier NAT
        "192.0.0.192",     // one that took an address of protocol assignments
        "168.63.129.16",   // a host agent at a public-looking address
        "[fd00:ec2::254]", // the same over IPv6
        "[fd20:ce::254]",  // and another
        "[::ffff:169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
    ] {
        check(host).await;
    }
}

/// An origin in the office network whose name is made to lead to this machine or to a metadata service is not followed
/// there; and a refusal says how to allow that address alone.
#[tokio::test]
async fn h02_private_networks_hold_neither_this_machine_nor_metadata() {
    let server = Server::start(Answer::Bytes(ok("inside"))).await;
    let port = server.port;
    let networks =
        |texts: &[&str]| PrivateAddresses::Networks(texts.iter().map(|text| text.parse().unwrap()).collect());
    let at = |host: &str, private_addresses: &PrivateAddresses| {
        let private_addresses = private_addresses.clone();
        reading(OriginConfig { private_addresses, ..origin("a", &format!("http://{host}:{port}"), false) })
    };
    for private in [PrivateAddresses::Ordinary, networks(&["0.0.0.0/0", "::/0"]), networks(&["10.0.0.0/8", "fd00::/8"])]
    {
        for (host, found) in [
            ("127.0.0.1", "127.0.0.1"),
            ("0.0.0.0", "0.0.0.0"),
            ("[::1]", "::1"),
            ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("[64:ff9b::169.254.169.254]", "169.254.169.254"),
            ("169.254.169.254", "169.254.169.254"),
            ("[fd00:ec2::254]", "fd00:ec2::254"),
        ] {
            let error = at(host, &private).send(get("a:/")).await.unwrap_err();
            let line = format!("add `private_addresses = [\"{found}\"]` under [origins.a] in the configuration");
            assert!(error.to_string().contains(&line), "{host} by {private:?}: {error}");
            assert_eq!(kind(Err(error)), "address_refused", "{host}");
        }
        assert_eq!(kind(at("localhost", &private).send(get("a:/")).await), "address_refused", "{private:?}");
    }
    assert_eq!(server.connections(), 0);
    for named in ["127.0.0.1", "127.0.0.0/8"] {
        assert_eq!(kind(at("127.0.0.1", &networks(&[named])).send(get("a:/")).await), "replied", "{named}");
    }
}

#[tokio::test]
async fn h03_every_spelling_of_loopback_is_refused() {
    for host in [
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7F.0.0.1",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "127.0x0.1",
        "127.0.0.1.",
        "\u{ff11}\u{ff12}\u{ff17}.0.0.1",
        "127\u{3002}0\u{3002}0\u{3002}1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[0:0:0:0:0:0:0:1]",
    ] {
        check(host).await;
    }
}

#[test]
fn h03_an_address_with_a_zone_is_no_origin() {
    for host in ["[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%251]"] {
        assert!(Origin::new("a".parse().unwrap(), &format!("http://{host}")).is_err(), "{host}");
    }
}

#[tokio::test]
async fn h04_a_name_is_refused_by_what_it_resolves_to() {
    let server = Server::start(Answer::Bytes(ok("inside"))).await;
    for host in ["localhost", "LOCALHOST", "localhos\u{ff54}"] {
        let base_url = format!("http://{host}:{}", server.port);
        let answer = reading(origin("a", &base_url, false)).send(get("a:/")).await;
        assert_eq!(kind(answer), "address_refused", "{host}");
    }
    assert_eq!(server.connections(), 0);
    let base_url = format!("http://localhost:{}", server.port);
    let error = reading(origin("a", &base_url, false)).send(get("a:/")).await.unwrap_err().to_string();
    assert!(error.contains("`localhost` resolves to ") && error.contains("`private_addresses = [\""), "{error}");
    // The same name leads there once the operator says that it may.
    assert_eq!(kind(reading(origin("a", &base_url, true)).send(get("a:/")).await), "replied");
    assert_eq!(server.connections(), 1);
}
