import type { StandardJsonSchema } from '../../../src/index.ts';

/** Params of a chat, to which a test adds a schema. */
export const base = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};

/** A schema of no library, whose JSON schema is this. */
export const ofJson = (
  json: Record<string, unknown>,
  vendor = 'mine',
): StandardJsonSchema<unknown> => ({
  '~standard': {
    version: 1,
    vendor,
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json },
  },
});
