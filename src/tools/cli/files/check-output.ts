import { finalPath } from '../../../integrations/node/final-path.ts';
import { UsageError } from '../arguments.ts';
import { ExistingFiles } from './existing.ts';
import { checkTemplate, fillTemplate } from './output-name.ts';
import { checkReplaceable, FileNames } from './same-file.ts';
import { prepareFolder } from './save-results.ts';

/** Checks where results go, before anything is paid for. Returns the template. */
export function checkOutput(output: string, overwrite: boolean): string {
  const template = checkTemplate(output);
  if (!template.includes('{id}')) {
    const first = template.replaceAll('{n}', '1');
    checkFree(first, overwrite);
    prepareFolder(finalPath(first));
  }
  // The part before the first placeholder. Without a name, it would be the folder above.
  prepareFolder(finalPath(`${template.split('{')[0] ?? template}_`));
  return template;
}

/** Throws a `UsageError` if something at a path must not be replaced, or cannot be. */
function checkFree(path: string, overwrite: boolean): void {
  checkReplaceable(path);
  const existing = overwrite ? undefined : new ExistingFiles().find(path);
  if (existing === undefined) return;
  throw new UsageError(`${existing} exists; --force replaces it. Nothing was sent`);
}

/** Checks where a copy of the receipt goes: the results must not replace it. */
export function checkReceiptFile(
  path: string | undefined,
  template: string,
  overwrite: boolean,
): void {
  if (path === undefined) return;
  if (path === '') throw new UsageError('--receipt must be the name of a file');
  checkDifferent(template, path);
  checkFree(path, overwrite);
  prepareFolder(finalPath(path));
}

/** How many results a task can have, at most. */
const maxResults = 100;

/** Throws a `UsageError` if a result could replace the receipt. */
export function checkDifferent(template: string, receipt: string): void {
  const names = new FileNames();
  const identity = names.identityOf(receipt);
  for (let n = 1; n <= maxResults; n += 1) {
    if (names.identityOf(fillTemplate(template, { id: '{id}', n })) !== identity) continue;
    throw new UsageError('-o and the receipt must be different files. Nothing was sent');
  }
}
