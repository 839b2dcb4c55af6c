import { inspect } from 'node:util';

/** A unique API key. */
export const apiKey = 'sk-canary-51d0c3';

/**
 * Searches everything that a program can reach from a value without closures: properties of every kind, symbols,
 * getters of its classes, entries of maps and sets. Returns the paths at which the text occurs.
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

/** Everything that a program could print of a value. */
export function printed(value: unknown): string {
  const options = { showHidden: true, depth: Infinity, getters: true, maxArrayLength: null };
  const texts = [
    read(() => inspect(value, options)),
    read(() => String(value)),
    read(() => JSON.stringify(value)),
    read(() => inspect(structuredClone(value), options)),
  ];
  for (let at: unknown = value; at instanceof Error; at = at.cause) texts.push(at.stack);
  return texts.map((text) => (typeof text === 'string' ? text : inspect(text, options))).join('\n');
}

/** The value that a function returns or throws. */
function read(work: () => unknown): unknown {
  try {
    const value = work();
    // A platform getter that is called on the wrong object may return a promise that rejects.
    if (value instanceof Promise) value.catch(() => undefined);
    return value;
  } catch (error) {
    return error;
  }
}

/** A logger that records every line. */
export function recordingLogger() {
  const lines: string[] = [];
  const record = (...parts: unknown[]) => void lines.push(parts.map(printed).join(' '));
  return { lines, logger: { error: record, warn: record, info: record, debug: record } };
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

/** Nested JSON arrays. */
export function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
