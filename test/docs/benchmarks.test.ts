import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { page } from '../bench/page.ts';
import { drawPlots } from '../bench/plots.ts';
import { scalePage } from '../bench/scale-page.ts';

const folder = new URL('../../docs/benchmarks/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const report = JSON.parse(read('results.json'));

/** A page without what formatting changes: white space, and the lines below the heads of tables. */
const plain = (text: string) => text.replaceAll(/[\s|:-]+/g, ' ').trim();

test.each([...drawPlots(report)])(
  'the plot %s shows what the data file of the benchmarks contains',
  (name, svg) => {
    expect(read(name)).toBe(svg);
    expect(svg).toContain('<desc');
  },
);

test('the pages about benchmarks and scale say what their data files contain', () => {
  expect(plain(read('../benchmarks.md'))).toBe(plain(page(report)));
  expect(plain(read('../scale.md'))).toBe(plain(scalePage(JSON.parse(read('scale.json')))));
});

test('the home page says of 10,000 waiting tasks what the data file contains', () => {
  const valuesOf = (name: string): Record<string, number> =>
    report.rows.find(({ id }: { id: string }) => id === name).values;
  const { polygate: sockets } = valuesOf('sockets');
  const { raw: _, polygate: stall, ...others } = valuesOf('stall');
  const [least, most] = [Math.min, Math.max].map((choose) => choose(...Object.values(others)));
  const shown = (ms = 0) => Math.round(ms).toLocaleString('en-US');
  expect(read('../site/home.md')).toContain(`stalls for ${shown(least)} to ${shown(most)} ms`);
  expect(read('../site/home.md')).toContain(
    `${sockets} sockets, and a stall of ${shown(stall)} ms`,
  );
});
