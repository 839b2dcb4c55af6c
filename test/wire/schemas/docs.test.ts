import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { generatedFiles } from '../../../scripts/schema-docs.ts';

test('the generated schemas and lists are those of the interfaces; `npm run schema-docs` updates them', () => {
  const files = globSync('src/{wire/generated/**/*,{wire/types,resources,mock/routes}/index}.ts');
  const generated = files.map((file) => [file, readFileSync(file, 'utf8')]);
  expect(Object.fromEntries(generated)).toEqual(Object.fromEntries(generatedFiles()));
});
