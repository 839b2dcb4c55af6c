import type { End, Program } from './messages.ts';
import { prompts } from './prompts.ts';

/** A paid request for a row, as the page forwarded it. */
export interface Send {
  /** The run that sent it, from 1. */
  readonly run: number;
  /** The idempotency key that was sent. */
  readonly key: string | undefined;
  /** Whether its response reached the program. */
  readonly hasResponse: boolean;
}

/** One image of a batch. */
export interface Row {
  readonly sends: readonly Send[];
  /** The number of charges on the invoice. */
  readonly charges: number;
  /** The runs that had its result. */
  readonly savedIn: readonly number[];
}

/** A program with all its runs, and the invoice of its gateway. */
export interface BatchState {
  readonly program: Program;
  readonly phase: 'idle' | 'running' | 'killed' | End['kind'];
  /** The number of runs so far. */
  readonly run: number;
  readonly rows: readonly Row[];
  /** The price of each image, from the invoice; 0 before the first charge. */
  readonly chargedUsd: number;
  /** Why the program failed. */
  readonly problem?: string | undefined;
}

/** What has become of a row. */
export type Cell = 'waiting' | 'sent' | 'working' | 'done' | 'interrupted' | 'gone';

/** The state of a program that has not been started. */
export function idleState(program: Program): BatchState {
  const rows = prompts.map((): Row => ({ sends: [], charges: 0, savedIn: [] }));
  return { program, phase: 'idle', run: 0, rows, chargedUsd: 0 };
}

/** What has become of a row. The usual script has its results in memory only, so they are gone after a kill. */
export function cellOf({ sends, charges, savedIn }: Row, state: BatchState): Cell {
  const { program, run, phase } = state;
  const isKept = program === 'polygate' || (savedIn.includes(run) && phase !== 'killed');
  if (savedIn.length > 0 && isKept) return 'done';
  const last = sends.at(-1);
  if (last === undefined) return 'waiting';
  if (phase === 'running' && last.run === run) return last.hasResponse ? 'working' : 'sent';
  // A new run of polygate also waits for the tasks that are in the journal.
  if (phase === 'running' && program === 'polygate' && last.hasResponse) return 'working';
  return program === 'usual' && charges > 0 ? 'gone' : 'interrupted';
}

/** The numbers of a batch. */
export interface Totals {
  done: number;
  /** Requests that were sent for rows that had been sent before, with another key or without one. */
  sentAnew: number;
  /** Requests that were sent again with the same key. */
  sentWithSameKey: number;
  charges: number;
  /** The charges of rows that had been charged before. */
  extraCharges: number;
  /** The charges for which no run had a result. */
  chargesWithoutResult: number;
}

/** Counts the rows, requests and charges of a batch. */
export function totalsOf(state: BatchState): Totals {
  const { rows } = state;
  const repeated = rows.flatMap(({ sends }) =>
    sends.slice(1).map(({ key }) => key !== undefined && key === sends[0]?.key),
  );
  return {
    done: rows.filter((row) => cellOf(row, state) === 'done').length,
    sentAnew: repeated.filter((isSame) => !isSame).length,
    sentWithSameKey: repeated.filter(Boolean).length,
    charges: rows.reduce((sum, { charges }) => sum + charges, 0),
    extraCharges: rows.reduce((sum, { charges }) => sum + Math.max(0, charges - 1), 0),
    chargesWithoutResult: rows.reduce(
      (sum, { charges, savedIn }) => sum + Math.max(0, charges - savedIn.length),
      0,
    ),
  };
}

/** Counts the charges of the rows that a run, or one before it, was the first to send. */
export function chargesUpTo(rows: readonly Row[], run: number): number {
  return rows
    .filter(({ sends }) => sends[0] !== undefined && sends[0].run <= run)
    .reduce((sum, { charges }) => sum + charges, 0);
}
