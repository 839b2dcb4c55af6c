import { finished } from 'node:stream/promises';
import { toUSVString } from 'node:util';

import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/mini';

import { version } from '../../internal.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { messageOf } from '../cli/arguments.ts';
import { generationKinds } from '../cli/command-options.ts';
import { createSavingGateway } from '../cli/settings.ts';
import type { Settings } from '../cli/settings.ts';
import { accountOf, TaskStore } from '../cli/task-store.ts';
import { note } from '../cli/terminal.ts';
import { createCleaner } from '../cli/text.ts';
import { exactUsd } from '../money.ts';
import { ProcessBudget } from './budget.ts';
import type { Limits } from './budget.ts';
import { createCall } from './call.ts';
import type { Call } from './call.ts';
import { Generations } from './generations.ts';
import { Lookups, generatedTypes } from './lookups.ts';
import { Refunds } from './refunds.ts';
import { errorReply } from './replies.ts';
import { openSession, Results } from './session.ts';
import { Submissions } from './submissions.ts';
import { checkNames, estimateInput, generationInput, inputSchema } from './tool-schemas.ts';

/** Characters that no user sees, or that reorder others: a service could hide text for the model in them. */
const invisible = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/** Serves one client on stdin and stdout, until stdin ends or the signal aborts. */
export async function serve({
  settings,
  limits,
  output,
  waitMs,
  allowedModels,
  signal,
}: {
  readonly settings: Settings;
  readonly limits: Limits;
  readonly output: string;
  readonly waitMs: number;
  readonly allowedModels: readonly string[];
  /** Ends the server. */
  readonly signal: AbortSignal;
}): Promise<void> {
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
  const tools = { gateway, session, store, account, budget, refunds, allowedModels, ended, clean };
  const submissions = new Submissions(tools);
  const lookups = new Lookups(tools, submissions);
  const generations = new Generations(tools, submissions, new Results(session, gateway, ended));
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

/** A `fetch` on undici's own client, which is cheaper, if undici is installed. Otherwise, the global one is used. */
export async function fastFetch(): Promise<typeof globalThis.fetch | undefined> {
  const { nodeFetch } = await import('polygate/node');
  try {
    return nodeFetch();
  } catch {
    // It is not installed.
    return undefined;
  }
}

/** What a server offers. */
interface ServerOptions {
  readonly generations: Generations;
  readonly lookups: Lookups;
  /** The limit that the instructions name; undefined if the server pays for nothing. */
  readonly maxUsdText: string | undefined;
  /** How long a call may wait, in ms. */
  readonly waitMs: number;
  /** Aborts when the server ends. */
  readonly ended: AbortSignal;
  readonly clean: (text: string) => string;
}

/** A tool of the server. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: Record<string, unknown>;
  readonly annotations: ToolAnnotations;
  readonly run: (args: Record<string, unknown>, call: Call) => Promise<CallToolResult>;
}

const free: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

const paid: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

const inputs = { image: 'an image', video: 'a video', music: 'music', speech: 'speech from text' };

/** Creates the server for one connection. */
export function createServer(options: ServerOptions): McpServer {
  const { maxUsdText } = options;
  const server = new McpServer(
    { name: 'polygate', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(maxUsdText) },
  );
  const tools = [...freeTools(options), ...(maxUsdText === undefined ? [] : paidTools(options))];
  for (const { name, description, input, annotations, run } of tools) {
    const inputJson = inputSchema(input);
    const onCall = (args: unknown, context: ServerContext) =>
      run(isRecord(args) ? args : {}, createCall(context, options));
    server.registerTool(name, { description, inputSchema: inputJson, annotations }, onCall);
  }
  return server;
}

function instructionsFor(maxUsdText: string | undefined): string {
  return maxUsdText === undefined
    ? 'Lists models, prices and tasks of a paid media gateway. The server was started without --max-usd, so it cannot generate anything.'
    : `Generates images, videos, music and speech for money, at most ${maxUsdText} in total. Choose a model with list_models, and check the price with estimate. Repeating a call with the same arguments is safe: it returns the same task and is not charged again. If a task is not finished, call get_task with its id.`;
}

function freeTools({ generations, lookups, clean }: ServerOptions): Tool[] {
  const tools: Tool[] = [
    {
      name: 'list_models',
      description:
        'Lists the models for images, videos, music and speech, with their prices. Free.',
      input: object({
        type: {
          type: 'string',
          enum: generatedTypes,
          description: 'Only models of this type. Music and speech are audio.',
        },
      }),
      annotations: free,
      run: ({ type }, call) => lookups.listModels(type, call),
    },
    {
      name: 'list_voices',
      description: 'Lists the voices for speech, with a sample of each. Free.',
      input: object({
        model: { type: 'string', description: 'Only voices that this model accepts.' },
      }),
      annotations: free,
      run: ({ model }, call) => lookups.listVoices(model, call),
    },
    {
      name: 'estimate',
      description:
        'Estimates the price of a generation, with the same arguments as generate_<kind>, and shows the budget. Free.',
      input: estimateInput(),
      annotations: free,
      run: (args, call) => lookups.estimate(args, call),
    },
    {
      name: 'get_task',
      description:
        'Waits for a task and saves its results. Use it if a generation was not finished in time. Free.',
      input: object({ task_id: { type: 'string', description: 'Id of the task.' } }, ['task_id']),
      annotations: free,
      run: ({ task_id: id }, call) => generations.get(typeof id === 'string' ? id : '', call),
    },
    {
      name: 'list_tasks',
      description: 'Lists the tasks that were submitted on this machine, latest first. Free.',
      input: object({}),
      annotations: free,
      run: (_, call) => lookups.listTasks(call),
    },
    {
      name: 'balance',
      description: 'Shows the balance of the account and the budget of this server. Free.',
      input: object({}),
      annotations: free,
      run: (_, call) => lookups.balance(call),
    },
  ];
  return tools.map((tool) => ({
    ...tool,
    run: async (args, call) => {
      try {
        checkNames(args, tool.input);
      } catch (error) {
        const lines = ['Nothing was charged.'];
        return errorReply(error, { command: tool.name, isPaid: false }, { clean, lines });
      }
      return tool.run(args, call);
    },
  }));
}

function paidTools({ generations }: ServerOptions): Tool[] {
  return generationKinds.map((kind) => ({
    name: `generate_${kind}`,
    description: `Generates ${inputs[kind]} for money and saves it to a file, whose path is returned. If it takes long, the id of the task is returned instead: then call get_task.`,
    input: generationInput(kind),
    annotations: paid,
    run: (args, call) => generations.generate(kind, args, call),
  }));
}

function object(properties: Record<string, object>, required: string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}
