import { signal } from '@preact/signals';
import { AbstractChat } from 'ai';
import type { ChatInit, ChatState, ChatStatus, UIMessage } from 'ai';

/** The state of a chat as signals. */
class SignalState<Message extends UIMessage> implements ChatState<Message> {
  readonly #status = signal<ChatStatus>('ready');
  readonly #error = signal<Error | undefined>(undefined);
  readonly #messages = signal<Message[]>([]);

  get status(): ChatStatus {
    return this.#status.value;
  }

  set status(status: ChatStatus) {
    this.#status.value = status;
  }

  get error(): Error | undefined {
    return this.#error.value;
  }

  set error(error: Error | undefined) {
    this.#error.value = error;
  }

  get messages(): Message[] {
    return this.#messages.value;
  }

  set messages(messages: Message[]) {
    this.#messages.value = messages;
  }

  pushMessage = (message: Message): void => {
    this.messages = [...this.messages, message];
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: Message): void => {
    // The AI SDK changes the message in place, so a copy is kept.
    this.messages = this.messages.with(index, this.snapshot(message));
  };

  snapshot = <Value>(value: Value): Value => structuredClone(value);
}

/** The AI SDK's chat for Preact: the class that `useChat` is built on, with signals instead of React state. */
export class SignalChat<Message extends UIMessage> extends AbstractChat<Message> {
  constructor(init: Omit<ChatInit<Message>, 'messages'>) {
    super({ ...init, state: new SignalState<Message>() });
  }
}
