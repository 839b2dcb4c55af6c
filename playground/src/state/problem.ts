import { PolygateError } from 'polygate';

/** An error as the page shows it. */
export interface Problem {
  /** The class of the error. */
  name: string;
  message: string;
  /** What is known about the request: `rejected`, `not-sent` or `unknown`. */
  outcome?: string | undefined;
  /** The status of the AI SDK's chat, which knows no outcome. */
  status?: string | undefined;
}

/** Converts any thrown value. */
export function toProblem(error: unknown): Problem {
  if (error instanceof PolygateError) {
    const { name, message, outcome } = error;
    return { name, message, outcome };
  }
  return { name: 'Error', message: error instanceof Error ? error.message : String(error) };
}
