import { describe, expect, it } from 'vitest';

import { finishMeaning } from '../../../src/wire/types/chat/finish-reason.ts';
import { isFinished } from '../../../src/wire/types/chat/finished.ts';

const words = {
  stop: ['stop', 'STOP', 'end_turn', 'stop_sequence', 'eos', 'FINISH_REASON_STOP', 'COMPLETE'],
  length: [
    'length',
    'MAX_TOKENS',
    'max_output_tokens',
    'max-completion-tokens',
    'MaxTokens',
    'model_length',
    'FINISH_REASON_MAX_TOKENS',
    'model_context_window_exceeded',
  ],
  tool_calls: ['tool_calls', 'tool_use', 'TOOL_CALL', 'function_call', 'toolUse'],
  content_filter: ['content_filter', 'SAFETY', 'RECITATION', 'content_filtered', 'refusal', 'SPII'],
  error: ['error', 'ERROR', 'network_error', 'failed'],
};

const cases = Object.entries(words).flatMap(([meaning, reasons]) =>
  reasons.map((reason) => ({ reason, meaning })),
);

describe('the meaning of a finish reason', () => {
  it.each(cases)('takes $reason for $meaning', ({ reason, meaning }) => {
    expect(finishMeaning(reason)).toBe(meaning);
    expect(isFinished(reason)).toBe(true);
  });

  it.each(['unstoppable', 'no_error', 'other', '終わり'])('does not know %j', (reason) => {
    expect(finishMeaning(reason)).toBeUndefined();
  });

  it.each(['other', 'pause_turn', '終わり', '1', 2, { type: 'stop' }])(
    'takes a choice with the unknown reason %j for finished',
    (reason) => expect(isFinished(reason)).toBe(true),
  );

  it.each([null, undefined, '', 'null', 'none', 'FINISH_REASON_UNSPECIFIED', 'in_progress'])(
    'does not take a choice with %j for finished',
    (reason) => {
      expect(finishMeaning(reason)).toBeUndefined();
      expect(isFinished(reason)).toBe(false);
    },
  );
});
