import { expectTypeOf, test } from 'vitest';

import type { OptionName } from '../../src/client/call/request-options.ts';
import type { GenerateOptions } from '../../src/index.ts';

test('the names that params must not have are those of all options of generate', () => {
  expectTypeOf<OptionName>().toEqualTypeOf<keyof GenerateOptions<'image'>>();
});
