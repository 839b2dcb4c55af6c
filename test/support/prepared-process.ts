import { createHash } from 'node:crypto';

/** Makes the changes that tests need in their process. Files that share one start with them, and leave them. */
export function prepareProcess(): void {
  // The virtual clock does not wait for hashing on other threads, so compute the same hash synchronously.
  crypto.subtle.digest = hashAtOnce;
  // The AI SDK prints every warning otherwise.
  Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);
}

const hashAtOnce: SubtleCrypto['digest'] = async (algorithm, data) => {
  const { name } = typeof algorithm === 'string' ? { name: algorithm } : algorithm;
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return Uint8Array.from(createHash(name.replace('-', '')).update(bytes).digest()).buffer;
};
