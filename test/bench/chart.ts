import { View, parse } from 'vega';
import { compile } from 'vega-lite';
import type { TopLevelSpec } from 'vega-lite';

import { formatValue } from './page.ts';
import type { Row } from './row.ts';

/** Draws a row as an SVG chart: one dot per client, sorted by value, and a line for the target. */
export async function chart(row: Row): Promise<string> {
  const values = Object.entries(row.values).map(([client, value]) => ({
    client,
    value,
    label: formatValue(row, value),
    isPolygate: client === 'polygate',
  }));
  const spec: TopLevelSpec = {
    width: 480,
    height: { step: 22 },
    padding: 8,
    background: 'white',
    layer: [
      {
        data: { values },
        encoding: {
          y: {
            field: 'client',
            type: 'nominal',
            sort: { field: 'value' },
            axis: { title: null, domain: false, ticks: false },
          },
          x: {
            field: 'value',
            type: 'quantitative',
            // Values can differ by a factor of 100, and can be close to 0.
            scale: { type: 'symlog' },
            axis: { title: `${row.title}${row.unit ? ` (${row.unit})` : ''}`, tickCount: 6 },
          },
          color: {
            field: 'isPolygate',
            type: 'nominal',
            scale: { domain: [true, false], range: ['#c2410c', '#64748b'] },
            legend: null,
          },
        },
        layer: [
          { mark: { type: 'rule', strokeWidth: 2 }, encoding: { x2: { datum: 0 } } },
          { mark: { type: 'point', filled: true, size: 70, opacity: 1 } },
          {
            mark: { type: 'text', align: 'left', dx: 8 },
            encoding: { text: { field: 'label', type: 'nominal' } },
          },
        ],
      },
      {
        data: { values: [{}] },
        mark: { type: 'rule', strokeDash: [4, 3], color: '#15803d' },
        encoding: { x: { datum: row.target } },
      },
    ],
  };
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
}
