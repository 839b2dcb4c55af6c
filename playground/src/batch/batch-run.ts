import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { idleState } from './batch-state.ts';
import type { BatchState, Row } from './batch-state.ts';
import { createGateway, promptOf } from './gateway.ts';
import type { Call, Program, Reply } from './messages.ts';
import { prompts } from './prompts.ts';
import { startWorker } from './worker-host.ts';

/** A program that runs in a worker, so that it can be killed, against a gateway of its own in the page. */
export interface BatchRun {
  readonly state: ReadonlySignal<BatchState>;
  /** Starts the program in a new worker. Only the gateway and the journal are those of the last run. */
  start(maxUsd?: number): void;
  /** Terminates the worker. */
  kill(): void;
  /** Terminates the worker, and removes the gateway and the journal. */
  reset(): void;
}

/** Creates a program that has not been started. */
export function createBatchRun(program: Program): BatchRun {
  const state = signal(idleState(program));
  let gateway = createGateway(showInvoice);
  /** It outlives the worker, as a file does a process. */
  let journal: string[] = [];
  let lockName = '';
  let terminate = () => {};

  function change(changes: Partial<BatchState>): void {
    state.value = { ...state.value, ...changes };
  }

  function changeRow(prompt: string | undefined, changeOf: (row: Row) => Partial<Row>): void {
    const rows = state.value.rows.map((row, index) =>
      prompts[index] === prompt ? { ...row, ...changeOf(row) } : row,
    );
    change({ rows });
  }

  function showInvoice(): void {
    const { chargesOf, chargedUsd } = gateway.invoice();
    const rows = state.value.rows.map((row, index) => ({
      ...row,
      charges: chargesOf(prompts[index] ?? ''),
    }));
    change({ rows, chargedUsd });
  }

  async function carryOut(call: Call, run: number): Promise<Reply> {
    switch (call.kind) {
      case 'append':
        journal.push(call.line);
        return { kind: 'appended' };
      case 'read':
        return { kind: 'lines', lines: journal };
      case 'fetch': {
        const [, key] = call.headers.find(([name]) => name === 'x-idempotency-key') ?? [];
        const send = { run, key, hasResponse: false };
        changeRow(promptOf(call.body), ({ sends }) => ({ sends: [...sends, send] }));
        return gateway.send(call);
      }
    }
  }

  function showResponse(call: Call): void {
    if (call.kind !== 'fetch') return;
    changeRow(promptOf(call.body), ({ sends }) => ({
      sends: sends.map((send, index) =>
        index === sends.length - 1 ? { ...send, hasResponse: true } : send,
      ),
    }));
  }

  function start(maxUsd?: number): void {
    const run = state.value.run + 1;
    if (run === 1) lockName = `polygate-playground-${crypto.randomUUID()}`;
    change({ phase: 'running', run, problem: undefined });
    const { apiKey, baseURL } = gateway;
    terminate = startWorker(
      { program, prompts, apiKey, baseURL, lockName, maxUsd },
      {
        carryOut: (call) => carryOut(call, run),
        onReply: showResponse,
        onSaved: (prompt) => changeRow(prompt, ({ savedIn }) => ({ savedIn: [...savedIn, run] })),
        onEnd: (end) =>
          change({ phase: end.kind, problem: end.kind === 'failed' ? end.message : undefined }),
      },
    );
  }

  function kill(): void {
    if (state.value.phase !== 'running') return;
    terminate();
    change({ phase: 'killed' });
  }

  function reset(): void {
    terminate();
    gateway = createGateway(showInvoice);
    journal = [];
    state.value = idleState(program);
  }

  return { state, start, kill, reset };
}
