import { claims } from './claims.ts';
import type { Claim } from './claims.ts';
import { requirements } from './requirements.ts';
import { titlesOf } from './titles.ts';
import type { Title } from './titles.ts';

/** The folder of the tests. */
const folder = new URL('../', import.meta.url);

/** The export of `specification.ts` that has the rows of a section, if they are not under the section's name. */
const sources: Readonly<Record<string, string>> = {
  Endpoints: 'endpoints',
  Statuses: 'endpoints',
  Codes: 'codes',
};

/** Missing and wrong claims, one per line. */
export function problems(): string[] {
  const titles = new Map<string, readonly Title[] | undefined>();
  const invalid = claims.flatMap((claim) => {
    const { section, row, file } = claim;
    if (!titles.has(file)) titles.set(file, titlesOf(new URL(`${file}.test.ts`, folder)));
    const known = requirements.get(section)?.includes(row) ?? false;
    const problem = known ? problemOf(claim, titles.get(file)) : 'is not in the specification';
    return problem === undefined ? [] : [`${section}, ${row}: ${problem}`];
  });
  const claimed = new Set(claims.map(({ section, row }) => `${section}, ${row}`));
  const missing = [...requirements].flatMap(([section, rows]) =>
    rows.map((row) => `${section}, ${row}`).filter((row) => !claimed.has(row)),
  );
  return [...invalid, ...missing.map((row) => `${row}: no test is claimed`)];
}

function problemOf(
  { section, file, test, dataDriven }: Claim,
  titles: readonly Title[] | undefined,
): string | undefined {
  if (titles === undefined) return `there is no test/${file}.test.ts`;
  const found = titles.filter(({ title }) => title === test || title.endsWith(` > ${test}`));
  const [only] = found;
  if (only === undefined || found.length > 1) {
    return `${found.length} tests in ${file} have the title ${test}`;
  }
  const source = sources[section] ?? section;
  return dataDriven && !only.table.includes(source)
    ? `${test} does not read its cases from the specification's ${source}`
    : undefined;
}

/** The coverage table as Markdown. */
export function table(): string {
  const rows = [...requirements.values()].flat().length;
  const parts = [...requirements].map(([section, names]) =>
    [
      `## ${section}`,
      '',
      ...markdown(names.flatMap((name) => claims.filter((claim) => isOf(claim, section, name)))),
      '',
    ].join('\n'),
  );
  return [
    '# Test coverage',
    '',
    `Each of the ${rows} endpoints, statuses, fields, states, codes and limits of the service, and the test that`,
    'covers it. Written by `npm run coverage:table` from `test/coverage`.',
    '',
    ...parts,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function isOf(claim: Claim, section: string, row: string): boolean {
  return claim.section === section && claim.row === row;
}

function markdown(rows: readonly Claim[]): string[] {
  const cells = [
    ['Requirement', 'File', 'Test'],
    ...rows.map(({ row, file, test }) => [code(row), code(`test/${file}.test.ts`), code(test)]),
  ];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[], fill: string) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head, ' '), line(['', '', ''], '-'), ...body.map((row) => line(row, ' '))];
}

function code(text: string): string {
  return `\`${text}\``;
}
