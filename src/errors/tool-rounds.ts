import { PolygateError } from './base.ts';

/**
 * The model still called tools when a run had used up its `maxRounds`. `run` holds the conversation, which ends with the
 * calls that were not carried out, and what it has cost.
 */
export class ToolRoundsError extends PolygateError {
  static override readonly className: string = 'ToolRoundsError';
}
