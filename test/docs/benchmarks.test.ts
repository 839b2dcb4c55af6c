import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { drawPlots } from '../bench/plots.ts';

const folder = new URL('../../docs/benchmarks/', import.meta.url);
const report = JSON.parse(readFileSync(new URL('results.json', folder), 'utf8'));

test.each([...drawPlots(report)])(
  'the plot %s shows what the data file of the benchmarks contains',
  (name, svg) => {
    expect(readFileSync(new URL(name, folder), 'utf8')).toBe(svg);
    expect(svg).toContain('<desc');
  },
);
