/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Hashes text to an integer from 0 to 2^32 - 1 (FNV-1a with a final mix). */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Creates a generator whose numbers depend on the seed alone (mulberry32). */
export function seededRandom(seed: string | number): Random {
  let state = hash(String(seed));
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks an element of a non-empty list. */
export function pick<T>(list: readonly [T, ...T[]], random: Random): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

/** Returns a new id that starts with a prefix such as `task_`. */
export type IdGenerator = (prefix: string) => string;

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Creates a generator of ids. The same seed produces the same ids in every run. */
export function createIdGenerator(random: Random): IdGenerator {
  return (prefix) => {
    let id = prefix;
    for (let index = 0; index < 20; index += 1) {
      id += alphabet.charAt(Math.floor(random() * alphabet.length));
    }
    return id;
  };
}
