import { PolygateError } from 'polygate';

/** An error as people read it. */
export interface Problem {
  /** The error's class, which says what to do. */
  name: string;
  message: string;
  /** What is known of the request: `rejected`, `not-sent` or `unknown`. */
  outcome?: string | undefined;
}

/** Reads whatever was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof PolygateError) {
    const { name, message, outcome } = error;
    return { name, message, outcome };
  }
  return { name: 'Error', message: error instanceof Error ? error.message : String(error) };
}
