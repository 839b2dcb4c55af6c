import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

import { finalPath } from '../../../integrations/node/final-path.ts';
import type { Continued, Recorder } from './recorder.ts';
import type { Redactor } from './redactor.ts';
import { formatTape } from './tape-file.ts';
import type { TapeContent } from './tape-file.ts';

/** The path of the folder with the files that belong to a tape, next to it. */
export const folderOf = (path: string): string =>
  join(dirname(path), `${basename(path, extname(path))}.files`);

/** What a tape is made of. */
export interface TapeSource extends Pick<TapeContent, 'provisional'> {
  readonly recorder: Recorder;
  readonly redactor: Redactor;
  /** The tape that is continued. */
  readonly before?: Continued;
}

/**
 * Writes a tape and its files. Each is complete before it replaces the old one. A crash between the two leaves a tape
 * that is reported as damaged if it needs a file that no longer exists.
 */
export async function saveTape(
  path: string,
  { recorder, redactor, provisional, before }: TapeSource,
): Promise<void> {
  const { recordings: list, files } = recorder.finish(
    redactor,
    (number, mediaType) => {
      const extension = /^\w+\/(?:x-)?([a-z0-9]{1,10})/.exec(mediaType)?.[1] ?? 'bin';
      return `${number}.${extension}`;
    },
    before,
  );
  // Symbolic links stay, and their targets are replaced.
  const target = finalPath(path);
  const filesPath = finalPath(folderOf(path));
  for (const file of [target, path, filesPath]) await mkdir(dirname(file), { recursive: true });
  await rm(`${filesPath}.tmp`, { recursive: true, force: true });
  if (files.size > 0) await mkdir(`${filesPath}.tmp`);
  for (const [name, bytes] of files) await writeFile(join(`${filesPath}.tmp`, name), bytes);
  await writeFile(`${target}.tmp`, formatTape({ provisional, recordings: list }));
  await rm(filesPath, { recursive: true, force: true });
  if (files.size > 0) await rename(`${filesPath}.tmp`, filesPath);
  await rename(`${target}.tmp`, target);
}
