import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { fileJournal } from 'polygate/journal';

import { openJournal } from '../../../internal.ts';
import { CommandLog } from '../command-log.ts';
import { EarlyEnd } from '../early-end.ts';
import { createSavingGateway } from '../gateway.ts';
import { note } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { resolveSettings } from '../settings.ts';
import { accountOf, digest } from '../state/task-entry.ts';
import { createCleaner } from '../text.ts';
import { getConsent } from './consent.ts';
import { TableError } from './open-table.ts';
import { help, parseBatchArguments } from './options.ts';
import type { BatchArguments } from './options.ts';
import { prepare, prepareFolders } from './prepare.ts';
import { report } from './report.ts';
import { runRows } from './run-rows.ts';
import { lockJournal } from './state/lock.ts';
import { folderOf } from './table/output-names.ts';
import type { PlannedRow } from './table/plan.ts';

/** Runs the command, and returns its exit code. */
export function runBatch(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate batch', isPaid: true });
  return runCommand(log, help, async () => {
    const options = parseBatchArguments(args);
    if (!('journal' in options)) return options;
    const settings = resolveSettings(options.service, process.env);
    const gateway = createSavingGateway(settings);
    const clean = createCleaner(settings.apiKey);
    log.useCleaner(clean);
    const { baseURL } = gateway;
    const service = { baseURL, account: accountOf({ baseURL, apiKey: settings.apiKey }) };
    const file = fileJournal(options.journal);
    if (existsSync(options.journal)) log.noteEarlierCharges();
    const end = new EarlyEnd();
    let unlock = () => Promise.resolve();
    const stopQuitting = quitAtOnce(end, () => unlock());
    try {
      let journal = file;
      // A dry run reads, and changes nothing.
      if (!options.dryRun) ({ journal, unlock } = await lockJournal(file, options.journal));
      const means = { gateway, service, journal };
      const batch = await prepare(options, means).catch((error: unknown) => {
        if (error instanceof TableError) for (const line of error.lines) note(clean(line));
        throw error;
      });
      if (!(await getConsent(batch, options, gateway))) return options.dryRun ? 0 : 1;
      stopQuitting();
      prepareFolders(options, batch.rows.some(isTask));
      const { output: template } = options;
      // Discard the partial files of a killed run.
      const staging = stagingFolder(options);
      rmSync(staging, { recursive: true, force: true });
      const { record, estimate } = batch;
      const run = await openJournal(journal);
      await record.recordService({ ...service, run });
      if (batch.work.some(({ isDone }) => !isDone)) log.noteSending();
      log.noteNext('run the same command again');
      const runEnd = await runRows(batch.work, {
        ...options,
        gateway,
        journal,
        record,
        template,
        staging,
        chargedUsd: estimate.before.usd,
        end,
        clean,
      });
      rmSync(staging, { recursive: true, force: true });
      const code = await report(batch, { ...runEnd, journal }, options, log.context);
      return end.exitCode ?? code;
    } finally {
      end.dispose();
      await unlock();
    }
  });
}

/** Ends the process at Ctrl-C, as long as nothing was sent. Returns how to stop that. */
function quitAtOnce(end: EarlyEnd, unlock: () => Promise<void>): () => void {
  const quit = (): void => {
    note('Interrupted. Nothing was sent.');
    void unlock().finally(() => process.exit(end.exitCode));
  };
  end.signal.addEventListener('abort', quit);
  return () => {
    end.signal.removeEventListener('abort', quit);
  };
}

/** Belongs to the journal, which only one process uses at a time. */
function stagingFolder({ output, journal }: BatchArguments): string {
  const owner = digest(resolve(journal)).slice(0, 8);
  return join(folderOf(output), `.polygate-${owner}.parts`);
}

const isTask = ({ kind }: PlannedRow): boolean => kind !== 'chat';
