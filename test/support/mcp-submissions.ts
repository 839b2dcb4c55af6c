import type { Polygate } from 'polygate';

import { TaskStore } from '../../src/tools/cli/task-store.ts';
import { ProcessBudget } from '../../src/tools/mcp/budget.ts';
import { Refunds } from '../../src/tools/mcp/refunds.ts';
import { Submissions } from '../../src/tools/mcp/submissions.ts';

/** The submissions of an MCP server with this budget and state folder, and a call of a tool without a deadline. */
export function mcpSubmissions(gateway: Polygate, folder: string, maxUsd: number) {
  const { signal } = new AbortController();
  const refunds = new Refunds(gateway, signal);
  const budget = new ProcessBudget({ maxUsd, maxUsdPerCall: undefined }, refunds);
  const submissions = new Submissions({
    gateway,
    store: new TaskStore({ XDG_STATE_HOME: folder }),
    account: 'account',
    budget,
    refunds,
    allowedModels: [],
    ended: signal,
    clean: (text) => text,
  });
  const call = { signal, remainingMs: () => 1e9, limitMs: () => 1e9, report: () => undefined };
  return { submissions, budget, call };
}
