import { version } from '../../internal.ts';
import { describeFailure, exitCodeOf } from './failure.ts';
import type { FailureContext } from './failure.ts';
import { endWithReader, noteFailure } from './terminal.ts';

/** The options `--help` and `--version`. */
interface AboutOptions {
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

/**
 * Runs a command. Its body returns the exit code, or the options if they contain `--help` or `--version`; it keeps the
 * log from which errors are described on stderr. Returns the exit code.
 */
export async function runCommand(
  log: CommandLog,
  help: () => string,
  body: () => Promise<number | AboutOptions>,
): Promise<number> {
  const fail = (error: unknown) => {
    noteFailure(describeFailure(error, log.context));
    return exitCodeOf(error, log.context);
  };
  endWithReader(fail);
  try {
    const result = await body();
    if (typeof result === 'number') return result;
    process.stdout.write(result.help ? help() : `${version}\n`);
    return 0;
  } catch (error) {
    return fail(error);
  }
}

/**
 * What a command does, in order. A failure is described from it at any moment, including one outside of the command.
 */
export class CommandLog {
  #context: FailureContext;

  constructor(command: Pick<FailureContext, 'command' | 'isPaid' | 'clean'>) {
    this.#context = command;
  }

  /** What is known now. */
  get context(): FailureContext {
    return this.#context;
  }

  /** The API key is known, and must not be printed. */
  useCleaner(clean: (text: string) => string): void {
    this.#add({ clean });
  }

  /** The command pays for something, or continues what was paid for. */
  notePaid(): void {
    this.#add({ isPaid: true });
  }

  /** The paid request is about to be sent. */
  noteSending(request: Pick<FailureContext, 'idempotencyKey' | 'next'> = {}): void {
    this.#add({ ...request, sent: 'unknown' });
  }

  /** An earlier command has sent the request, and it may have been charged. */
  noteEarlierRequest(idempotencyKey: string): void {
    this.#add({ sent: 'unknown', isRepeated: true, idempotencyKey });
  }

  /** Earlier commands may have paid for what this one continues. */
  noteEarlierCharges(): void {
    this.#add({ hasEarlierCharges: true });
  }

  /** The request was certainly not charged, so there is nothing to continue under its key. */
  noteUncharged(): void {
    this.#add({ next: undefined, idempotencyKey: undefined });
  }

  /** There is something to do about a rejection. */
  noteHint(hint: string | undefined): void {
    this.#add({ hint });
  }

  /** The service has accepted the request. */
  noteAccepted(task: Pick<FailureContext, 'idempotencyKey' | 'chargeUsd'>): void {
    this.#add({ ...task, sent: 'accepted' });
  }

  /** The task has failed. `next` is what can be done about that. */
  noteTaskFailed({ refund, next }: Pick<FailureContext, 'refund' | 'next'> = {}): void {
    this.#add({ refund, next });
  }

  /** The results are saved, so there is nothing to continue. */
  noteSaved(saved: readonly string[]): void {
    this.#add({ saved, next: undefined });
  }

  /** There is a command that continues. */
  noteNext(next: string): void {
    this.#add({ next });
  }

  #add(facts: Partial<FailureContext>): void {
    this.#context = { ...this.#context, ...facts };
  }
}
