import { finished } from 'node:stream/promises';
import { toUSVString } from 'node:util';

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/mini';

import { messageOf } from '../cli/arguments.ts';
import { createSavingGateway } from '../cli/gateway.ts';
import type { Settings } from '../cli/settings.ts';
import { accountOf, TaskStore } from '../cli/task-store.ts';
import { note } from '../cli/terminal.ts';
import { createCleaner } from '../cli/text.ts';
import { exactUsd } from '../money.ts';
import { ProcessBudget } from './budget.ts';
import type { Limits } from './budget.ts';
import { Generations } from './generations.ts';
import { Lookups } from './lookups.ts';
import { Refunds } from './refunds.ts';
import { Results } from './results.ts';
import { createServer } from './server.ts';
import { openSession } from './session.ts';
import { Submissions } from './submissions.ts';

/** Options of the server. */
export interface ServeOptions {
  readonly settings: Settings;
  readonly limits: Limits;
  readonly output: string;
  readonly waitMs: number;
  readonly allowedModels: readonly string[];
  /** Ends the server. */
  readonly signal: AbortSignal;
}

/** Characters that no user sees, or that reorder others: a service could hide text for the model in them. */
const invisible = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/** Serves one client on stdin and stdout, until stdin ends or the signal aborts. */
export async function serve(options: ServeOptions): Promise<void> {
  const { settings, limits, output, waitMs, allowedModels, signal } = options;
  z.config(z.locales.en());
  const session = openSession(output, process.env);
  const end = new AbortController();
  const ended = AbortSignal.any([end.signal, signal]);
  const cleanText = createCleaner(settings.apiKey);
  // Some clients reject a message with half a character, such as one that was cut by a service.
  const clean = (text: string) => toUSVString(cleanText(text)).replaceAll(invisible, '');
  const fetch = await fastFetch();
  const gateway = createSavingGateway(settings, { fetch });
  const store = new TaskStore(process.env);
  const account = accountOf({ baseURL: gateway.baseURL, apiKey: settings.apiKey });
  const refunds = new Refunds(gateway, ended);
  const budget = new ProcessBudget(limits, refunds);
  const submissions = new Submissions({
    gateway,
    store,
    account,
    budget,
    refunds,
    allowedModels,
    ended,
    clean,
  });
  const results = new Results(gateway, ended);
  const lookups = new Lookups({ gateway, submissions, budget, allowedModels, clean });
  const generations = new Generations({ session, submissions, results, budget, refunds, clean });
  const maxUsdText = limits.maxUsd === undefined ? undefined : exactUsd(limits.maxUsd);
  const serverOptions = { generations, lookups, maxUsdText, waitMs, ended, clean };
  const handle = serveStdio(() => createServer(serverOptions), {
    onerror: (error) => {
      note(`polygate mcp: ${clean(messageOf(error))}`);
    },
  });
  // A file as stdin ends without closing.
  await finished(process.stdin, { writable: false, signal }).catch(() => undefined);
  end.abort();
  await handle.close();
}

/** A function that creates a `fetch`. */
type CreateFetch = () => unknown;

/** A `fetch` on undici's own client, which is cheaper, if undici is installed. Otherwise, the global one is used. */
export async function fastFetch(): Promise<typeof globalThis.fetch | undefined> {
  const exported: Record<string, unknown> = { ...(await import('polygate/node')) };
  const { nodeFetch } = exported;
  if (!isCreateFetch(nodeFetch)) return undefined;
  try {
    const created = nodeFetch();
    return isFetch(created) ? created : undefined;
  } catch {
    // It is not installed.
    return undefined;
  }
}

const isCreateFetch = (value: unknown): value is CreateFetch => typeof value === 'function';

const isFetch = (value: unknown): value is typeof globalThis.fetch => typeof value === 'function';
