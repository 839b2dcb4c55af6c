/** What a snippet of the AI SDK guide needs from a package that is not a dependency of this repository. */
declare module '@ai-sdk/react' {
  import type { ChatStatus, UIMessage } from 'ai';

  export function useChat(): {
    messages: UIMessage[];
    sendMessage: (message: { text: string }) => Promise<void>;
    status: ChatStatus;
    error: Error | undefined;
  };
}
