import { unchecked } from '../schemas/schema.ts';
import type { Material, MaterialPageRecord } from '../schemas/materials.ts';

/** One page of materials; looping with `for await` goes on through the pages that follow. */
export interface MaterialPage extends MaterialPageRecord, AsyncIterable<Material> {
  /** The next page; null at the end. */
  nextPage(): Promise<MaterialPage | null>;
}

/** Lets a page go on; the record itself stays as it was sent. Assumption A21. */
export function materialPage(
  record: MaterialPageRecord,
  next: (after: string) => Promise<MaterialPage>,
): MaterialPage {
  const { has_more, next_cursor } = record;
  const nextPage = async () => (has_more && next_cursor ? next(next_cursor) : null);
  const iterate = async function* () {
    for (let page: MaterialPage | null = whole; page !== null; page = await page.nextPage())
      yield* page.data;
  };
  const whole: MaterialPage = unchecked(
    Object.defineProperties(record, {
      nextPage: { value: nextPage },
      [Symbol.asyncIterator]: { value: iterate },
    }),
  );
  return whole;
}
