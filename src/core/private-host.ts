/** IPv4 ranges that are not the public internet: this host, private, shared, loopback, link-local, test, multicast. */
const privateIPv4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.0)|198\.1[89])\./;

/** The same of IPv6: unspecified, loopback, unique local, link-local, multicast, and IPv4 in any disguise. */
const privateIPv6 = /^\[(::|f[cd]|fe[89ab]|ff|64:ff9b:|2002:)/;

/** Whether a host, as the URL parser gives it, may lie inside somebody's network. */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return (
    /(^|\.)(localhost|local|internal)$/.test(name) ||
    privateIPv4.test(name) ||
    privateIPv6.test(name)
  );
}
