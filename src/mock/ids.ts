import type { Random } from './random.ts';

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
