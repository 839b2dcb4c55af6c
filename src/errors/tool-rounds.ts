import { PolygateError } from './base.ts';

/**
 * The model still called tools after `maxRounds` requests, or its tool calls were cut off by the token limit or a content
 * filter. `run` holds the conversation, which ends with the tool calls that were not executed, and the total charge.
 */
export class ToolRoundsError extends PolygateError {
  static override readonly className: string = 'ToolRoundsError';
}
