/** The results of one runtime. */
export interface Row {
  name: string;
  version: string;
  report: Record<string, any>;
}

const between = /(?<=<!-- runtimes: .*-->\n\n).*?(?=\n\n<!-- end -->)/s;
const yes = (does: boolean) => (does ? 'yes' : '–');

const columns: Readonly<Record<string, (row: Row) => string>> = {
  Runtime: ({ name }) => name,
  Version: ({ version }) => version,
  Batch: ({ report }) =>
    report.journal === true ? 'with file journal' : yes(report.batch[0] === 'succeeded'),
  Proxy: ({ report }) => yes(report.behindProxy?.image === 'succeeded'),
  '`require`': ({ report }) => yes(report.required?.every(Boolean) === true),
};

/** Returns the guide with its table replaced by these rows. */
export function withTable(guide: string, rows: readonly Row[]): string {
  const names = Object.keys(columns);
  const lines = [
    names,
    names.map(() => '---'),
    ...rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  ];
  return guide.replace(between, lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
}

/** The cells of a guide's table, ignoring versions and formatting. */
export function claims(guide: string): string[][] {
  const lines = (between.exec(guide)?.[0] ?? '').split('\n');
  return lines
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.some((cell) => /\w/.test(cell)))
    .map((cells) => cells.filter((_, index) => index !== 2));
}
