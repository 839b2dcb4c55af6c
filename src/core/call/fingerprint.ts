import { ConfigurationError } from '../../errors/configuration.ts';

/** SHA-256 of some texts, in hexadecimal digits. */
export async function fingerprint(...parts: string[]): Promise<string> {
  const { subtle }: Partial<Crypto> = crypto;
  if (subtle === undefined) {
    throw new ConfigurationError(
      'crypto.subtle: missing here; a page has it when it comes by https.',
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return hexadecimal(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** Bytes in hexadecimal digits. */
export function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
