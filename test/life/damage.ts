/** What a medium, another program or a person does to an entry after it was stored. */
export interface Damage {
  readonly kind: 'cut' | 'overwritten' | 'replaced' | 'field' | 'duplicated' | 'tail-lost';
  /** Selects what is damaged, and with what. */
  readonly at: number;
}

export const damageKinds = [
  'cut',
  'overwritten',
  'replaced',
  'field',
  'duplicated',
  'tail-lost',
] as const satisfies readonly Damage['kind'][];

const foreign = ['', 'garbage', '{}', '[]', 'null', '7', '"text"', '{"v":1}', '{"v":1,"type":"?"}'];
/** What no field of an entry can be. `undefined` deletes it. */
const noValues: readonly unknown[] = [undefined, null, {}, -7, [[]]];

/** One entry as it is after the damage. A text whose field is damaged must be JSON. */
export function damagedText(text: string, { kind, at }: Damage): string {
  const half = Math.ceil(text.length / 2);
  switch (kind) {
    case 'cut':
    case 'tail-lost':
      return text.slice(0, 1 + (at % Math.max(1, text.length - 1)));
    case 'overwritten':
      return '#'.repeat(half) + text.slice(half);
    case 'replaced':
      return [...foreign, ofVersion(text, 0), ofVersion(text, 2)][at % (foreign.length + 2)] ?? '';
    case 'field':
      return withDamagedField(text, at);
    case 'duplicated':
      return text + text;
  }
}

const ofVersion = (text: string, version: number) => text.replace(/("v": ?)\d/, `$1${version}`);

function withDamagedField(text: string, at: number): string {
  let record: Record<string, unknown>;
  try {
    record = Object(JSON.parse(text));
  } catch {
    return text;
  }
  const names = Object.keys(record);
  const name = names[at % names.length];
  if (name === undefined) return text;
  return JSON.stringify({
    ...record,
    [name]: noValues[Math.floor(at / names.length) % noValues.length],
  });
}

/** The fields of a hash, one of which is deleted or replaced. A damage that could be another valid value is none. */
export function damagedField(
  names: readonly string[],
  { kind, at }: Damage,
): { readonly name: string; readonly value: string | undefined } | undefined {
  const name = names[at % names.length];
  if (name === undefined) return undefined;
  const value = kind === 'tail-lost' || kind === 'cut' ? undefined : ['', 'garbage', '[]'][at % 3];
  return { name, value };
}
