/** A source of numbers from 0 up to, not including, 1. */
export type Random = () => number;

/** A number from 0 to 2^32 - 1 that depends on every character of a text (FNV-1a, then mixed). */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** The same seed gives the same numbers on every machine (mulberry32). */
export function seededRandom(seed: string | number): Random {
  let state = hash(String(seed));
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One entry of a list that is not empty. */
export function pick<T>(list: readonly [T, ...T[]], random: Random): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Makes an id that begins with a prefix such as `task_`. */
export type MakeId = (prefix: string) => string;

/** Ids come from the seed, so that two runs of one test give the same ones. */
export function idMaker(random: Random): MakeId {
  return (prefix) => {
    let id = prefix;
    for (let index = 0; index < 20; index += 1) {
      id += alphabet.charAt(Math.floor(random() * alphabet.length));
    }
    return id;
  };
}
