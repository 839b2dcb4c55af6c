/** Names that the public name service never answers. */
const privateName = /(^|\.)(localhost|local|internal)$/;

/** Whether a host name, as `URL` gives it, lies in a private network. */
export function isPrivateHost(host: string): boolean {
  if (privateName.test(host.replace(/\.$/, ''))) return true;
  if (host.startsWith('[')) return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:)/i.test(host);
  const parts = host.split('.').map(Number);
  if (parts.length !== 4 || !parts.every(Number.isInteger)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 100) return second >= 64 && second <= 127;
  if (first === 172) return second >= 16 && second <= 31;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}
