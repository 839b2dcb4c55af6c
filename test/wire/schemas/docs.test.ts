import { expect, test } from 'vitest';

import { schemaDocs } from '../../../scripts/schema-docs.ts';
import * as catalog from '../../../src/wire/schemas/docs/catalog.ts';
import * as chat from '../../../src/wire/schemas/docs/chat.ts';
import * as media from '../../../src/wire/schemas/docs/media.ts';
import * as tasks from '../../../src/wire/schemas/docs/tasks.ts';

test('the descriptions of schemas are the doc comments of the interfaces; `npm run schema-docs` updates them', () => {
  const generated = Object.entries({ ...catalog, ...chat, ...media, ...tasks });
  const current = [...schemaDocs()].map(([name, { fields }]) => [name, { fields }]);
  expect(Object.fromEntries(generated)).toEqual(Object.fromEntries(current));
});
