/** IPv4 ranges that are not the public internet: this host, private, shared, loopback, link-local, test, multicast. */
const privateIPv4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.0)|198\.1[89])\./;

/** An IPv4 address, or a name that begins with one, as names do which stand for it: `10.0.0.1.resolver.example`. */
const beginsWithIPv4 = /^\d+\.\d+\.\d+\.\d+(\.|$)/;

/** The same of IPv6: unspecified, loopback, unique and site local, link-local, multicast, and IPv4 in any disguise. */
const privateIPv6 = /^\[(::|f[cd]|fe[89a-f]|ff|64:ff9b:|2001:(:|0:)|2002:)/;

/** Names that only a local network knows: the reserved and customary ones, and those without a dot. */
const privateName =
  /^[^.:]*$|(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)\.*$/;

/** Whether a host, as the URL parser gives it, may lie inside somebody's network. */
export function isPrivateHost(host: string): boolean {
  return (
    privateName.test(host) ||
    (beginsWithIPv4.test(host) && privateIPv4.test(host)) ||
    privateIPv6.test(host)
  );
}
