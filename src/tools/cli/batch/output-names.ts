import { basename, dirname, join, resolve, sep } from 'node:path';

import { fillTemplate, canBecome, FileNames, isNoFile } from '../output-name.ts';
import { quoted } from './cells.ts';
import type { PlannedRow } from './plan.ts';
import type { Problem } from './table.ts';

/** The longest name of a file that all usual file systems allow, with room for a number and an extension. */
const maxNameBytes = 240;

/** The folder that the names of a template stay in: the one before the first placeholder. */
export function folderOf(template: string): string {
  // Without a name, it would be the folder above.
  return dirname(resolve(`${template.split('{')[0] ?? ''}_`));
}

/** The same folder as it was written, with a slash at its end. */
export function shownFolder(template: string): string {
  return join(dirname(`${template.split('{')[0] ?? ''}_`), sep);
}

/** Whether an absolute path is that of a file in a folder, or in one below. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The number of results that a row requests. */
function countOf({ params }: Pick<PlannedRow, 'params'>): number {
  const count = Number(params.num_images ?? params.n ?? 1);
  return Number.isInteger(count) && count > 0 && count <= 1000 ? count : 1;
}

/** The names of a row's files, with `{ext}`. */
export function namesOf(row: Pick<PlannedRow, 'id' | 'params'>, template: string): string[] {
  return Array.from({ length: countOf(row) }, (_, index) =>
    fillTemplate(template, { id: row.id, n: index + 1 }),
  );
}

/**
 * Reports names that two rows share, that are in `reserved` or that cannot be written, and names outside the folder of
 * the template.
 */
export function checkNames(
  rows: readonly PlannedRow[],
  template: string,
  problems: Problem[],
  reserved: readonly string[] = [],
): void {
  const folder = folderOf(template);
  const names = new FileNames();
  const identities = reserved.map((path) => names.identityOf(path));
  const owners = new Map<string, PlannedRow>();
  for (const row of rows) {
    if (row.id === '') continue;
    const report = (message: string) => problems.push({ line: row.line, message });
    for (const name of namesOf(row, template)) {
      const path = resolve(name);
      if (!isInside(path, folder)) {
        report(`id ${quoted(row.id)} leads to ${path}, outside ${folder}`);
      } else if (
        /^\.*$/.test(basename(name)) ||
        ['\0', '\\'].some((character) => name.includes(character)) ||
        row.id.includes('{ext}')
      ) {
        report(`id ${quoted(row.id)} is no name for a file`);
      } else if (Buffer.byteLength(basename(name)) > maxNameBytes) {
        report(`id ${quoted(row.id)} is too long for the name of a file`);
      } else if (isNoFile(path)) {
        report(`its file ${name} is a folder, or cannot be replaced`);
      }
      const key = names.identityOf(path);
      // The placeholder is not a part of a folder.
      const replaced = identities.findIndex((identity) => canBecome(key, identity));
      if (replaced >= 0) report(`its file ${name} would replace ${reserved[replaced]}`);
      const owner = owners.get(key);
      if (owner !== undefined && owner !== row) {
        // The id is reported itself.
        if (owner.id !== row.id) report(`its file ${name} is that of line ${owner.line}`);
        break;
      }
      owners.set(key, row);
    }
  }
}
