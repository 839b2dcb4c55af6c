import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Model, Polygate } from 'polygate';
import { ConfigurationError } from 'polygate';

import { balanceOf } from '../cli/balance/balance-of.ts';
import { balanceRows } from '../cli/balance/command.ts';
import { priceText } from '../cli/models/prices.ts';
import { formatUsd } from '../cli/money.ts';
import { columns } from '../cli/output.ts';
import type { TaskEntry } from '../cli/state/task-entry.ts';
import type { Limits, ProcessBudget } from './budget.ts';
import type { Call } from './call.ts';
import { priceOf } from './price.ts';
import { errorReply, reply } from './replies.ts';
import type { Submissions } from './submissions.ts';
import { parseEstimate } from './tool-schemas.ts';

/** What the free tools need. */
export interface LookupsOptions {
  readonly gateway: Polygate;
  readonly submissions: Submissions;
  readonly budget: ProcessBudget;
  readonly limits: Limits;
  readonly allowedModels: readonly string[];
  readonly clean: (text: string) => string;
}

/** Longer lists would fill the context of a model. */
const maxLines = 100;

/** The tools that cost nothing. */
export class Lookups {
  readonly #options: LookupsOptions;

  constructor(options: LookupsOptions) {
    this.#options = options;
  }

  /** Lists the models that can be used, of one type if it is given. */
  listModels(type: unknown, { signal }: Call): Promise<CallToolResult> {
    return this.#look('list_models', async () => {
      const { gateway, allowedModels } = this.#options;
      if (type !== undefined && type !== 'image' && type !== 'video' && type !== 'audio') {
        throw new ConfigurationError('type: must be image, video or audio.');
      }
      const { data } = await gateway.models.list({}, { signal });
      const models = data.filter(
        (model) =>
          (type === undefined
            ? /^(image|video|audio)$/.test(String(model.type))
            : model.type === type) &&
          (allowedModels.length === 0 || allowedModels.includes(model.id)),
      );
      if (models.length === 0) return ['There are no such models.'];
      return shortened(
        models.map((model) => modelLine(model)),
        'models; pass a type to see fewer',
      );
    });
  }

  /** Estimates the price of a generation. */
  estimate(args: unknown, { signal }: Call): Promise<CallToolResult> {
    return this.#look('estimate', async () => {
      const { gateway, budget, limits } = this.#options;
      const { kind, model, body } = parseEstimate(args);
      const price = priceOf(kind, body, await gateway.models.retrieve(model, { signal }));
      const left = `Budget: ${budget.text}`;
      if (price !== undefined) return [`Estimated price: ${formatUsd(price)}`, left];
      const rule =
        limits.maxUsdPerCall === undefined
          ? 'so this server refuses such a call.'
          : `so ${formatUsd(limits.maxUsdPerCall)} is reserved for such a call.`;
      return [
        `The service lists no price of ${model} that applies to these arguments, ${rule}`,
        ...(kind === 'video' ? ['The price of a video needs its duration.'] : []),
        left,
      ];
    });
  }

  /** The balance of the account, and the budget of this server. */
  balance({ signal }: Call): Promise<CallToolResult> {
    return this.#look('balance', async () => {
      const { account } = this.#options.gateway;
      const [owner, key] = await Promise.all([
        account.retrieve({ signal }),
        account.balance({ signal }),
      ]);
      const rows = columns(balanceRows(balanceOf(owner, key)))
        .trimEnd()
        .split('\n');
      return [...rows, `Budget of this server: ${this.#options.budget.text}`];
    });
  }

  /** Lists the tasks that were submitted on this machine. */
  listTasks(): Promise<CallToolResult> {
    return this.#look('list_tasks', () => {
      const entries = this.#options.submissions.list();
      if (entries.length === 0)
        return ['No tasks were submitted on this machine with this API key.'];
      return shortened(
        entries.map((entry) => taskLine(entry)),
        'tasks',
      );
    });
  }

  async #look(command: string, find: () => string[] | Promise<string[]>): Promise<CallToolResult> {
    const { clean } = this.#options;
    try {
      return reply(await find(), clean);
    } catch (error) {
      const lines = ['Nothing was charged.'];
      return errorReply(error, { command, isPaid: false }, { clean, lines });
    }
  }
}

function shortened(lines: readonly string[], what: string): string[] {
  const more = lines.length - maxLines;
  return more <= 0 ? [...lines] : [...lines.slice(0, maxLines), `… and ${more} more ${what}`];
}

function modelLine({ id, type, pricing }: Model): string {
  return `${id} (${String(type)}): ${priceText(pricing)}`;
}

function taskLine({ receipt, kind, status, createdAt, request }: TaskEntry): string {
  const charge = receipt?.chargeUsd === undefined ? '' : `, ${formatUsd(receipt.chargeUsd)}`;
  if (receipt !== undefined) {
    return `${receipt.id}: ${kind}, ${createdAt}, ${status ?? 'submitted'}${charge}`;
  }
  const prompt = request?.prompt?.slice(0, 80) ?? '';
  return `without an id: ${kind}, ${createdAt}, model ${request?.model ?? 'unknown'}, "${prompt}": may have been charged; repeat the call with the same arguments to get its task`;
}
