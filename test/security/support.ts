import { inspect } from 'node:util';

/** Looks like a key, and stands nowhere else. */
export const apiKey = 'sk-canary-51d0c3';

/**
 * Everything that a program can reach from a value without its closures: properties of every kind, symbols, getters of
 * its classes, entries of maps and sets. Gives the paths where the text stands.
 */
export function pathsTo(text: string, root: unknown): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>([globalThis, process, Function, Object, Function.prototype]);
  const queue: [path: string, value: unknown][] = [['', root]];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [path, value] = next;
    if (typeof value === 'string' && value.includes(text)) found.push(path);
    if (Object(value) !== value || seen.has(value)) continue;
    seen.add(value);
    const holder = value as object;
    for (let at: object | null = holder; at !== null; at = Object.getPrototypeOf(at) as object) {
      for (const key of Reflect.ownKeys(at)) {
        queue.push([`${path}.${String(key)}`, read(() => Reflect.get(at, key, holder))]);
        if (String(key).includes(text)) found.push(`${path}.(a name)`);
      }
    }
    if (value instanceof Map || value instanceof Set || value instanceof Headers) {
      queue.push([`${path}.entries`, [...value]]);
    }
  }
  return found;
}

/** All that a program could print of a value. */
export function printed(value: unknown): string {
  const whole = { showHidden: true, depth: Infinity, getters: true, maxArrayLength: null };
  const texts = [
    read(() => inspect(value, whole)),
    read(() => String(value)),
    read(() => JSON.stringify(value)),
    read(() => inspect(structuredClone(value), whole)),
  ];
  for (let at: unknown = value; at instanceof Error; at = at.cause) texts.push(at.stack);
  return texts.map((text) => (typeof text === 'string' ? text : inspect(text, whole))).join('\n');
}

/** What something gives, or what it throws. */
function read(work: () => unknown): unknown {
  try {
    const value = work();
    // A getter of the platform may answer with a promise that rejects: it was called on the wrong object.
    if (value instanceof Promise) value.catch(() => undefined);
    return value;
  } catch (error) {
    return error;
  }
}

/** A logger that keeps every line. */
export function keeper() {
  const lines: string[] = [];
  const keep = (...parts: unknown[]) => void lines.push(parts.map(printed).join(' '));
  return { lines, logger: { error: keep, warn: keep, info: keep, debug: keep } };
}

/** A journal in memory. */
export function memoryJournal(lines: string[] = [], storeParams = false) {
  return {
    lines,
    storeParams,
    append: async (line: string) => void lines.push(line),
    read: async function* () {
      yield* lines;
    },
  };
}

/** Lists nested in each other. */
export function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
