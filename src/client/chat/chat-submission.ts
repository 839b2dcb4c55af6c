import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { CompletionOf } from '../../wire/types/chat/output.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import {
  checkRequestOptions,
  copyOptions,
  fixedRules,
  submissionOptions,
} from '../call/request-options.ts';
import type { RequestOptions, SubmissionDetails } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request.ts';
import type { Part } from '../http/part.ts';
import type { CompletionTransform } from './completion-parser.ts';

/** What a submission was created from. */
export interface ChatRequest {
  readonly model: string;
  /** The params as JSON. */
  readonly body: string;
  readonly transform: CompletionTransform<ChatCompletion>;
  /** The parts of the client that it needs. */
  readonly parts?: readonly Part<unknown>[] | undefined;
  /** Completes the body with what the parts provide. */
  readonly completeBody?: (() => Promise<string>) | undefined;
}

/** Sends the request of a submission. */
type SendChat = (
  describe: () => ChatRequest,
  options: RequestOptions,
  observer: AttemptObserver | undefined,
) => RequestPromise<ChatCompletion>;

/**
 * A chat that is described but not sent: one row of a batch. `Output` is that of its schema, if it has one. Created by
 * `chat.completions.submission()`.
 */
export class ChatSubmission<Output = never> {
  /** Type-level only. */
  declare readonly 'created by chat.completions.submission()': Output;
  /** Distinguishes it from submissions of tasks. */
  readonly kind = 'chat';
  // Private at run time, because they contain prompts and give access to the API key.
  readonly #request: () => ChatRequest;
  readonly #send: SendChat;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(request: () => ChatRequest, send: SendChat, options?: RequestOptions) {
    this.#request = request;
    this.#send = send;
    this.#options = copyOptions(options);
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /** Id of the model. */
  get model(): string {
    return this.#request().model;
  }

  /**
   * Sends the request, like `chat.completions.create`, or `parse` if it has a schema. These options replace those of the
   * submission. Its body and models are fixed, so `extraBody` and `fallback` can be passed only to `submission`.
   */
  send(
    options?: Omit<RequestOptions, 'extraBody' | 'fallback' | 'fallbackOn'>,
  ): RequestPromise<CompletionOf<Output>> {
    const transform: ChatRequest['transform'] = (...received) =>
      this.#request().transform(...received);
    return unchecked<RequestPromise<CompletionOf<Output>>>(
      this.#start(options, undefined, transform),
    );
  }

  /** @internal A batch observes the attempts, and stores the completion before it checks it. */
  sendUnparsed(options: RequestOptions, observer: AttemptObserver): RequestPromise<ChatCompletion> {
    return this.#start(options, observer, async (completion) => completion);
  }

  #start(
    options: RequestOptions | undefined,
    observer: AttemptObserver | undefined,
    transform: ChatRequest['transform'],
  ): RequestPromise<ChatCompletion> {
    const describe = () => {
      checkRequestOptions(options, fixedRules);
      return { ...this.#request(), transform };
    };
    const merged = { ...this.#options, ...omitUndefined({ ...options }) };
    return this.#send(describe, merged, observer);
  }

  /** @internal Checks a completion against the schema of the submission, and adds `parsed`. */
  parse(...received: Parameters<ChatRequest['transform']>): Promise<ChatCompletion> {
    return this.#request().transform(...received);
  }

  /** @internal Checks the submission and returns what identifies it across processes. */
  async details(): Promise<SubmissionDetails> {
    const { model, body: given, completeBody } = this.#request();
    const body = (await completeBody?.()) ?? given;
    return {
      path: chatEndpoints.chat.create.path,
      body,
      ...submissionOptions(model, this.#options),
    };
  }

  /** @internal Whether a function decides about the fallback, which another process cannot call. */
  get hasFallbackOn(): boolean {
    return this.#options.fallbackOn !== undefined;
  }
}
