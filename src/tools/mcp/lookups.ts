import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Model, Voice } from 'polygate';
import { ConfigurationError } from 'polygate';

import type { Endpoint } from '../../wire/endpoints/endpoint.ts';
import { allEndpoints } from '../../wire/endpoints/index.ts';
import { anyOf } from '../cli/arguments.ts';
import { generationKinds } from '../cli/command-options.ts';
import { balanceOf, balanceRows, priceText, aboutVoice } from '../cli/look-up.ts';
import type { GenerationKind, TaskEntry } from '../cli/task-store.ts';
import { columns } from '../cli/terminal.ts';
import { formatUsd } from '../money.ts';
import { kindOf, quoteOf } from './budget.ts';
import { pending, withinFree } from './call.ts';
import type { Call } from './call.ts';
import { errorReply, reply } from './replies.ts';
import type { Services, Submissions } from './submissions.ts';
import { parseEstimate, parseEstimated } from './tool-schemas.ts';

/** The types of the models that tools generate with. */
export const generatedTypes: readonly string[] = [
  ...new Set(allEndpoints.flatMap(({ kind }: Endpoint) => kind ?? [])),
];

/** Longer lists would fill the context of a model. */
const maxLines = 100;

/** The tools that cost nothing. */
export class Lookups {
  readonly #services: Services;
  readonly #submissions: Submissions;

  constructor(services: Services, submissions: Submissions) {
    this.#services = services;
    this.#submissions = submissions;
  }

  /** Lists the models that can be used, of one type if it is given. */
  listModels(type: unknown, call: Call): Promise<CallToolResult> {
    return this.#look('list_models', call, async (signal) => {
      const { gateway, allowedModels } = this.#services;
      const types = generatedTypes.filter((each) => type === undefined || type === each);
      if (types.length === 0) {
        throw new ConfigurationError(`type: must be ${anyOf(generatedTypes)}.`);
      }
      const { data } = await gateway.models.list({}, { signal });
      const models = data.filter(
        (model) =>
          types.includes(String(model.type)) &&
          (allowedModels.length === 0 || allowedModels.includes(model.id)),
      );
      if (models.length === 0) return ['There are no such models.'];
      return shortened(
        models.map((model) => `${model.id} (${String(model.type)}): ${priceText(model.pricing)}`),
        'models; pass a type to see fewer',
      );
    });
  }

  /** Lists the voices for speech, of one model if it is given. */
  listVoices(model: unknown, call: Call): Promise<CallToolResult> {
    return this.#look('list_voices', call, async (signal) => {
      if (model !== undefined && typeof model !== 'string') {
        throw new ConfigurationError('model: must be the id of a model.');
      }
      const { data } = await this.#services.gateway.voices.list({ model }, { signal });
      if (data.length === 0) return ['There are no such voices.'];
      const lines = data.map((voice: Partial<Voice>) =>
        [`${voice.voice_id ?? 'without an id'}:`, ...aboutVoice(voice)].join(' '),
      );
      return shortened(lines, 'voices; pass a model to see fewer');
    });
  }

  /** Estimates the price of a generation. */
  estimate(args: unknown, call: Call): Promise<CallToolResult> {
    return this.#look('estimate', call, async (signal) => {
      const { gateway, budget } = this.#services;
      const { kind: given, model } = parseEstimated(args);
      // Before anything is requested, if the kind is known.
      if (given !== undefined) parseEstimate(given, args);
      const record = await gateway.models.retrieve(model, { signal });
      const kind = given ?? requiredKind(record);
      const quote = quoteOf(kind, parseEstimate(kind, args), record);
      const reserved = budget.priceToReserve(quote);
      const left = `Budget: ${budget.text}`;
      if (quote.usd !== undefined) {
        const isHigher = reserved !== undefined && reserved > quote.usd;
        return [
          `Estimated price: ${formatUsd(quote.usd)}`,
          ...(isHigher
            ? [
                `An earlier call was charged more than its listed price, so ${formatUsd(reserved)} is reserved for this one.`,
              ]
            : []),
          left,
        ];
      }
      const rule =
        reserved === undefined
          ? 'so this server refuses such a call.'
          : `so ${formatUsd(reserved)} is reserved for such a call.`;
      return [
        `The service lists no price of ${model} that applies to these arguments, ${rule}`,
        ...(kind === 'video' ? ['The price of a video needs its duration.'] : []),
        left,
      ];
    });
  }

  /** The balance of the account, and the budget of this server. */
  balance(call: Call): Promise<CallToolResult> {
    return this.#look('balance', call, async (signal) => {
      const { account } = this.#services.gateway;
      const [owner, key] = await Promise.all([
        account.retrieve({ signal }),
        account.balance({ signal }),
      ]);
      const rows = columns(balanceRows(balanceOf(owner, key)))
        .trimEnd()
        .split('\n');
      return [...rows, `Budget of this server: ${this.#services.budget.text}`];
    });
  }

  /** Lists the tasks that were submitted on this machine. */
  listTasks(call: Call): Promise<CallToolResult> {
    return this.#look('list_tasks', call, async () => {
      const entries = this.#submissions.list();
      if (entries.length === 0)
        return ['No tasks were submitted on this machine with this API key.'];
      return shortened(
        entries.map((entry) => taskLine(entry)),
        'tasks',
      );
    });
  }

  async #look(
    command: string,
    call: Call,
    find: (signal: AbortSignal) => Promise<string[]>,
  ): Promise<CallToolResult> {
    const { clean } = this.#services;
    const context = { command, isPaid: false };
    const lines = ['Nothing was charged.'];
    try {
      const found = await withinFree(call, find);
      if (found === pending) throw new Error('The service has not responded in time.');
      return reply(found, clean);
    } catch (error) {
      return errorReply(error, context, { clean, lines });
    }
  }
}

/** What a model generates, for an estimate that does not say it. */
function requiredKind(model: Model): GenerationKind {
  const kind = kindOf(model);
  if (kind !== undefined) return kind;
  throw new ConfigurationError(
    `kind: is required, because the service does not say what ${model.id} generates. It must be ${generationKinds.join(', ')}.`,
  );
}

function shortened(lines: readonly string[], what: string): string[] {
  const more = lines.length - maxLines;
  return more <= 0 ? [...lines] : [...lines.slice(0, maxLines), `… and ${more} more ${what}`];
}

function taskLine({ receipt, kind, status, createdAt, request }: TaskEntry): string {
  const charge = receipt?.chargeUsd === undefined ? '' : `, ${formatUsd(receipt.chargeUsd)}`;
  if (receipt !== undefined) {
    return `${receipt.id}: ${kind}, ${createdAt}, ${status ?? 'submitted'}${charge}`;
  }
  const prompt = request?.prompt?.slice(0, 80) ?? '';
  return `without an id: ${kind}, ${createdAt}, model ${request?.model ?? 'unknown'}, "${prompt}": may have been charged; repeat the call with the same arguments to get its task, which costs nothing as long as the service remembers the request`;
}
