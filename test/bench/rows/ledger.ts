import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { estimatedUnits, fingerprint, Reservations } from '../../../src/client/call/call-budget.ts';
import { createLedger } from '../../../src/client/limits/ledger.ts';
import { requestPrice } from '../../../src/client/limits/prices.ts';
import { limitPolicies } from '../../../src/paid/limits.ts';
import { verdictOf } from '../../../src/paid/verdict.ts';
import type { LedgerRow } from '../row.ts';
import { interleave, medians } from '../stats.ts';

const root = new URL('../../../', import.meta.url);
const rounds = 25;
const calls = 20_000;

const method = 'POST /v1/images/tasks';
const body = { model: 'prism-image', prompt: 'A harbor at dawn, with boats. '.repeat(8) };
const request = { body: JSON.stringify(body), estimateUsd: requestPrice.image(body) };
const priceUsd = 0.02;
const estimate = () => request.estimateUsd({ unitPriceUsd: priceUsd });
const maxUsd = priceUsd * calls * 2;
const keyOf = (call: number) => `image row-${call}`;
const meta = {
  status: 202,
  chargeUsd: priceUsd,
  idempotentReplay: false,
  requestId: 'req-1',
  taskId: 'task-1',
};

/** Makes the calls of one round, with or without a budget, and returns what the ledger has counted. */
type Run = (isLimited: boolean) => number;

const runNow: Run = (isLimited) => {
  const ledger = createLedger();
  const { books } = ledger;
  const limit = { nanoUsd: maxUsd * 1e9, policy: limitPolicies.client };
  if (isLimited) books.reservations = new Reservations(books);
  for (let call = 0; call < calls; call += 1) {
    const entry = books.open({
      route: method,
      key: keyOf(call),
      isChargedOnce: true,
      readBody: () => fingerprint(request),
      estimate,
      unitsOf: (price) => estimatedUnits([method, body.model], price, request.estimateUsd),
    });
    const { reservation } = entry;
    for (const stage of ['queueing', 'sending'] as const) {
      reservation?.reserve(limit, estimate(), stage);
      void reservation?.waitForTurn(stage === 'sending');
    }
    ledger.record(entry, body.model, verdictOf(meta), meta);
  }
  return ledger.view.totalUsd;
};

/** The ledger of version 0.3.0. */
interface EarlierLedger {
  readonly view: { readonly totalUsd: number };
  open(call: object): {
    reserve(budget: object, price: number | undefined, isNext: boolean): object | undefined;
    settle(): void;
    charge(usd: number, details: object): object | undefined;
  };
}

const runBefore =
  (create: () => EarlierLedger): Run =>
  (isLimited) => {
    const ledger = create();
    for (let call = 0; call < calls; call += 1) {
      const key = keyOf(call);
      const paid = { route: method, model: body.model, key, safety: 'keyed', hasOneBody: true };
      const reservation = ledger.open(paid);
      if (isLimited) {
        reservation.reserve({ maxUsd }, estimate(), false);
        reservation.reserve({ maxUsd }, estimate(), true);
      }
      reservation.settle();
      reservation.charge(meta.chargeUsd, meta);
    }
    return ledger.view.totalUsd;
  };

/** Extracts the sources of version 0.3.0 from the history. Returns whether the clone has it: a shallow one does not. */
function extractBefore(folder: string): boolean {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 });
  const commit = git('log', '-1', '--format=%H', '--grep=^Release 0\\.3\\.0$').toString().trim();
  if (commit === '') return false;
  const input = git('archive', commit, 'src');
  execFileSync('tar', ['-x', '-C', folder], { input });
  return true;
}

/**
 * Calls of the ledger per second, in turns with version 0.3.0, which is not published: a call that reserves its price, checks
 * it again before it is sent, and records its charge; and one without a budget, which only records it.
 */
export async function ledgerRows(): Promise<LedgerRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-0.3.0-'));
  try {
    if (!extractBefore(folder)) {
      console.log('The ledger is not measured: this clone lacks the history of version 0.3.0.');
      return [];
    }
    const { createLedger: createBefore }: { createLedger: () => EarlierLedger } = await import(
      join(folder, 'src/core/limits/ledger.ts')
    );
    const runs = { before: runBefore(createBefore), now: runNow };
    return [await measureRow(runs, true), await measureRow(runs, false)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureRow(
  runs: Readonly<Record<'before' | 'now', Run>>,
  isLimited: boolean,
): Promise<LedgerRow> {
  const names = ['before', 'now'] as const;
  const measure = async (name: string) => {
    const start = process.cpuUsage();
    const usd = runs[name === 'now' ? name : 'before'](isLimited);
    const { user, system } = process.cpuUsage(start);
    if (Math.abs(usd - priceUsd * calls) > 1e-6) throw new Error(`${name} has counted ${usd} USD`);
    return (user + system) / calls;
  };
  await interleave(names, 5, measure);
  const { before, now } = medians(await interleave(names, rounds, measure));
  const perSecond = (us = Number.NaN) => 1e6 / us;
  return {
    id: isLimited ? 'ledger-budget' : 'ledger',
    title: isLimited ? 'with a budget' : 'without',
    values: { before: perSecond(before), now: perSecond(now) },
  };
}
