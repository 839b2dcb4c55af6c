import { EarlyEnd } from '../early-end.ts';
import type { FailureContext } from '../failure.ts';
import { createSavingGateway } from '../gateway.ts';
import { note } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { resolveSettings } from '../settings.ts';
import { createCleaner } from '../text.ts';
import { getConsent } from './consent.ts';
import { TableError } from './open-table.ts';
import { help, parseBatchArguments } from './options.ts';
import { prepare, prepareFolders } from './prepare.ts';
import { report } from './report.ts';
import { runRows } from './run-rows.ts';

/** Runs the command, and returns its exit code. */
export function runBatch(args: string[]): Promise<number> {
  const context: FailureContext = { command: 'polygate batch', isPaid: true };
  return runCommand(context, help, async () => {
    const options = parseBatchArguments(args);
    if (!('journal' in options)) return options;
    const settings = resolveSettings(options.service, process.env);
    const gateway = createSavingGateway(settings);
    const clean = createCleaner(settings.apiKey);
    context.clean = clean;
    const batch = await prepare(options, gateway).catch((error: unknown) => {
      if (error instanceof TableError) for (const line of error.lines) note(clean(line));
      throw error;
    });
    if (!(await getConsent(batch, options, gateway))) return options.dryRun ? 0 : 1;
    prepareFolders(
      options,
      batch.rows.every(({ kind }) => kind === 'chat'),
    );
    const end = new EarlyEnd();
    try {
      const { output: template, force, maxUsd, resendUnknown } = options;
      const { journal, record } = batch;
      const run = await runRows(batch.work, {
        gateway,
        journal,
        record,
        template,
        force,
        maxUsd,
        resendUnknown,
        end,
        clean,
      });
      const code = await report(batch, run, options, context);
      return end.exitCode ?? code;
    } finally {
      end.dispose();
    }
  });
}
