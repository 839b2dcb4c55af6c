/** What the snippets of the AI SDK guide need from React, which is not a dependency of this repository. */
declare module 'react' {
  export function useState<State>(initial: State): [State, (next: State) => void];
}

declare module '@ai-sdk/react' {
  import type { ChatStatus, UIMessage } from 'ai';

  export function useChat(): {
    messages: UIMessage[];
    sendMessage: (message: { text: string }) => Promise<void>;
    status: ChatStatus;
    error: Error | undefined;
  };
}

declare namespace JSX {
  interface ChangeEvent {
    target: { value: string };
  }
  interface SubmitEvent {
    preventDefault(): void;
  }
  interface Attributes {
    key?: string;
    role?: string;
    value?: string;
    disabled?: boolean;
    onChange?: (event: ChangeEvent) => void;
    onSubmit?: (event: SubmitEvent) => void;
    children?: unknown;
  }
  interface ElementChildrenAttribute {
    children: unknown;
  }
  type IntrinsicElements = Record<'button' | 'form' | 'input' | 'p', Attributes>;
}
