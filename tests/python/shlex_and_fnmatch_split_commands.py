import shlex
print(shlex.split("cp -r 'my file' \"other \\\"dir\\\"\" a\\ b"), shlex.quote("it's"), shlex.join(["echo", "a b", "c"]), shlex.split("a # no", comments=True))
try:
    shlex.split("unclosed 'quote")
except ValueError as error:
    print(error)
lexer = shlex.shlex("a=b;c|d", punctuation_chars=True)
print(list(lexer))
import ipaddress
net = ipaddress.ip_network("192.168.1.0/28")
print(net.num_addresses, ipaddress.ip_address("192.168.1.5") in net, list(net.hosts())[:2], net.netmask, net.broadcast_address)
print(ipaddress.ip_address("::1").is_loopback, ipaddress.ip_address("10.0.0.1").is_private, ipaddress.IPv6Address("2001:db8::1").exploded, list(net.subnets(new_prefix=30))[0])
print(sorted(map(ipaddress.ip_address, ["10.0.0.10", "10.0.0.9"])), ipaddress.ip_interface("10.1.2.3/8").network, int(ipaddress.ip_address("0.0.1.0")))
for bad in ("256.1.1.1", "10.0.0.1/33"):
    try:
        ipaddress.ip_network(bad)
    except ValueError as error:
        print("ValueError")
import colorsys
print(colorsys.rgb_to_hsv(1, 0.5, 0), [round(c, 3) for c in colorsys.hls_to_rgb(0.5, 0.5, 1)], "#%02x%02x%02x" % (255, 128, 0))
