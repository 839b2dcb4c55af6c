import { ConfigurationError } from '../../errors/base.ts';
import { checkNames } from '../option-names.ts';
import type { OptionNames } from '../option-names.ts';
import type { ChatRequest } from './request.ts';

/** A function call of a scripted reply. */
export interface ScriptedToolCall {
  /** Name of the function. */
  name: string;
  /** Its arguments, which are sent as JSON. */
  arguments?: object | undefined;
}

/** A scripted reply to chat requests, streamed or not, and the requests that it is for. */
export interface ScriptedReply {
  /** Only requests for this model. */
  model?: string | undefined;
  /** Only requests whose last user message contains this text, or matches this expression. */
  match?: string | RegExp | undefined;
  /** The content of the reply. Streams send it word by word. */
  text?: string | undefined;
  /** The content of the reply, in the parts in which streams send it. */
  chunks?: readonly string[] | undefined;
  /** The function calls of the reply. */
  toolCalls?: readonly ScriptedToolCall[] | undefined;
  /** Maximum number of requests that get this reply. */
  times?: number | undefined;
}

/** A reply that was scripted. */
export interface InjectedReply {
  /** Number of requests that it was sent for. */
  readonly requests: number;
  /** Removes the reply. */
  remove(): void;
}

const replyNames: OptionNames<ScriptedReply> = {
  model: true,
  match: true,
  text: true,
  chunks: true,
  toolCalls: true,
  times: true,
};

/** All scripted replies. */
export class Replies {
  readonly #active = new Set<{ reply: ScriptedReply; requests: number }>();

  add(reply: ScriptedReply): InjectedReply {
    checkNames(reply, replyNames);
    const contents = [reply.text, reply.chunks, reply.toolCalls];
    if (contents.filter((content) => content !== undefined).length !== 1) {
      throw new ConfigurationError('A reply needs exactly one of text, chunks and toolCalls.');
    }
    const active = { reply, requests: 0 };
    this.#active.add(active);
    return {
      get requests() {
        return active.requests;
      },
      remove: () => {
        this.#active.delete(active);
      },
    };
  }

  /** Returns the reply to a request: the oldest one that is for it and not used up; undefined if there is none. */
  take(request: ChatRequest): ScriptedReply | undefined {
    for (const active of this.#active) {
      const { reply } = active;
      if (active.requests >= (reply.times ?? Infinity) || !isFor(reply, request)) continue;
      active.requests += 1;
      return reply;
    }
    return undefined;
  }
}

function isFor({ model, match }: ScriptedReply, request: ChatRequest): boolean {
  if (model !== undefined && model !== request.model) return false;
  if (match === undefined) return true;
  // Unlike `test`, `search` does not depend on where an expression with the flag `g` has matched before.
  return typeof match === 'string'
    ? request.prompt.includes(match)
    : request.prompt.search(match) >= 0;
}
