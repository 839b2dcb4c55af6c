/**
 * Guides whose snippets still need code that readers do not see. To convert a guide, follow "Snippets in guides" in
 * CONTRIBUTING.md and remove it from this list. This file goes away with the last entry.
 */
export const unconverted = new Set<string>([]);

/** The blocks of these guides, with the fault and the code in the comments before them. */
export const blocksWithComments =
  /(?:^<!-- service:(?<service>.*?)-->\n+)?(?:^<!-- before:(?<before>.*?)-->\n+)?^```(?<language>ts)(?<kind>x| no-run)?\n(?<code>.*?)^```/gms;

/** Variables that these snippets may use without declaring them, and the code that declares them. */
const preambles = [
  {
    uses: /(?<![\w./])mock(\.\w|[,)])/,
    declares: 'createMockGateway(',
    lines: `import { createMockGateway } from 'polygate/mock';
const mock = createMockGateway({ clock: 'virtual' });
const { apiKey, baseURL, fetch, clock } = mock;
const gateway = new Polygate({ apiKey, baseURL, fetch, clock });`,
  },
  {
    uses: /(?<![\w./])gateway(\.\w|[,)])/,
    declares: 'const gateway = new ',
    lines: 'const gateway = new Polygate();',
  },
];

/** Adds the code in the comment and the declaration of a `gateway` or `mock` that the block uses. */
export function addHiddenCode(before: string, block: string): string {
  const code = `${before.trim()}\n${block}`;
  const preamble = preambles.find(
    ({ uses, declares }) => uses.test(code) && !code.includes(declares),
  );
  const program = preamble === undefined ? code : `${preamble.lines}\n${code}`;
  const imported = /import \{[^}]*\bPolygate\b/.test(code) || !program.includes('new Polygate(');
  return imported ? program : `import { Polygate } from 'polygate';\n${program}`;
}
