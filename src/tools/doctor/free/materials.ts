import type { Check } from '../run/check.ts';
import { ifAvailable } from '../run/if-available.ts';

/** How many pages of 100 materials are read at most. */
const maxPages = 5;

/** How the list of materials ends. Assumption A21. */
export const materials: Check = {
  id: 'materials',
  title: 'Material library',
  requires: 'key',
  assumptions: [
    { id: 'A21', ifOpen: 'Not tested.' },
    {
      id: 'A22',
      aspect: 'verification',
      ifOpen: 'Only the verification of a real person would show how long its URL is valid.',
    },
  ],
  async run(context, report) {
    const { client, signal } = context;
    const about = report.on('A21');
    const received = await ifAvailable(
      about,
      context.read(client.materials.list({ limit: 100 }, { signal })),
    );
    if (received === undefined) return;
    let { data: page } = received;
    let count = page.data.length;
    for (let pages = 1; ; pages += 1) {
      const next = await page.nextPage();
      if (next === null) break;
      if (pages === maxPages) {
        return about.skipped(
          `The library has more than ${count} materials, so its last page was not read.`,
        );
      }
      count += next.data.length;
      page = next;
    }
    const { has_more, next_cursor }: { has_more?: unknown; next_cursor?: unknown } = page;
    const ends = has_more === false && (next_cursor === null || next_cursor === undefined);
    const cursor =
      next_cursor === undefined ? 'no next_cursor' : `next_cursor ${JSON.stringify(next_cursor)}`;
    about.ok(
      `The last page of ${count} materials has has_more ${JSON.stringify(has_more)} and ${cursor}${ends ? '.' : ', which the client takes for the end.'}`,
    );
  },
};
