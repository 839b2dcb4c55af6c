import { materialPageSchema } from '../../schemas/materials.ts';
import type { Material, MaterialPageRecord } from '../../schemas/materials.ts';
import { readExtended } from '../call/list.ts';
import type { ResponseReader } from '../call/api-call.ts';

/** One page of materials; looping with `for await` goes on through the pages that follow. */
export interface MaterialPage extends MaterialPageRecord, AsyncIterable<Material> {
  /** The next page; null at the end. */
  nextPage(): Promise<MaterialPage | null>;
}

/** Reads a page that goes on. Assumption A21. */
export function readMaterialPage(
  next: (after: string) => Promise<MaterialPage>,
): ResponseReader<MaterialPage> {
  return readExtended(materialPageSchema, ({ data, has_more, next_cursor }) => {
    const nextPage = async () => (has_more && next_cursor ? next(next_cursor) : null);
    const first: Pick<MaterialPage, 'data' | 'nextPage'> = { data, nextPage };
    const iterate = async function* () {
      for (let page: typeof first | null = first; page !== null; page = await page.nextPage())
        yield* page.data;
    };
    return { nextPage: { value: nextPage }, [Symbol.asyncIterator]: { value: iterate } };
  });
}
