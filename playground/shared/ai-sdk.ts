/** Metadata of a response, which the server sends with the AI SDK's message. */
export interface ResponseMetadata {
  tokens?: Tokens | undefined;
  costUsd?: number | undefined;
}

/** The tokens of a chat request and of its response. */
export interface Tokens {
  input: number | undefined;
  output: number | undefined;
}
