import { expect, test } from 'vitest';

import { defaultModels, toModelRecord } from '../../../src/mock/models.ts';
import { progressBar } from '../../../src/tools/cli/batch/progress.ts';
import { commandOptions } from '../../../src/tools/cli/command-options.ts';
import { bash, fish, zsh } from '../../../src/tools/cli/completion.ts';
import { priceText } from '../../../src/tools/cli/look-up.ts';
import { columns, formatDuration } from '../../../src/tools/cli/terminal.ts';
import { alignUsd } from '../../../src/tools/cli/text.ts';
import { exactUsd, formatUsd } from '../../../src/tools/money.ts';

test.each([
  [0, '$0.00', '$0.00'],
  [0.1 + 0.2, '$0.30', '$0.30'],
  [1000, '$1000.00', '$1000.00'],
  [998.659_975_5, '$998.66', '$998.6599755'],
  [0.0144, '$0.01', '$0.0144'],
  [0.009_96, '$0.01', '$0.00996'],
  [0.005, '$0.005', '$0.005'],
  [0.000_045_5, '$0.000046', '$0.0000455'],
  [1e-9, '$0.000000001', '$0.000000001'],
  [-1.234, '-$1.23', '-$1.234'],
])('%d USD is written as %s, and as a price of one unit as %s', (usd, text, exact) => {
  expect([formatUsd(usd), exactUsd(usd)]).toEqual([text, exact]);
});

test('amounts in a column have their decimal points below each other', () => {
  expect(alignUsd([999.954902, 1000, 0.0023])).toEqual([' $999.95', '$1000.00', '   $0.0023']);
  expect(alignUsd([12, undefined, 3.5])).toEqual(['$12.00', undefined, ' $3.50']);
  expect(alignUsd([])).toEqual([]);
});

test('prices are listed in the units of the model list, which they name', () => {
  const texts = defaultModels.map((model) => [model.id, priceText(toModelRecord(model).pricing)]);
  expect(Object.fromEntries(texts)).toMatchObject({
    'aurora-chat': '$0.0005 in, $0.0015 out per 1000 tokens',
    'prism-image': '$0.02 per image (1K), $0.04 (2K), $0.08 (4K)',
    'tide-video': '$0.02 per second (720p), $0.04 (1080p)',
    'echo-speech': '$0.00003 per character',
    'anthem-music': '$0.03 per track',
  });
  for (const model of defaultModels) {
    const { pricing } = toModelRecord(model);
    const { unitPriceUsd, inputPricePer1kUsd } = pricing.profiles.api;
    expect(priceText(pricing)).toContain(exactUsd(inputPricePer1kUsd || unitPriceUsd));
  }
  expect(priceText(undefined)).toBe('no price listed');
  expect(priceText({ unitPriceUsd: 0.5 })).toBe('$0.50 per unit');
  const damaged = JSON.parse('{"resolutionPrices":[{"resolution":1,"unitPriceUsd":0.02},null]}');
  expect(priceText(damaged)).toBe('price not readable');
});

test.each([
  [400, '0 s'],
  [59_000, '59 s'],
  [65_000, '1:05 min'],
  [3_660_000, '1:01 h'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('the progress of a batch uses the width of the terminal, and never more', () => {
  const progress = {
    total: 200,
    done: 90,
    failed: 10,
    running: 8,
    usd: 1.8,
    doneBefore: 50,
    elapsedMs: 50_000,
  };
  const text = '90/200 done, 10 failed, 8 running, $1.80, 1:40 min left';
  expect(progressBar(progress, 200)).toBe(`${'█'.repeat(15)}${'░'.repeat(15)}  ${text}`);
  expect(progressBar(progress, text.length + 12)).toBe(`█████░░░░░  ${text}`);
  expect(progressBar(progress, 40)).toBe(text);
  expect(progressBar({ ...progress, done: 0, failed: 0, doneBefore: 0 }, 40)).not.toContain('left');
});

test('columns are aligned', () => {
  expect(
    columns([
      ['a', 'bb'],
      ['ccc', ''],
    ]),
  ).toBe('a    bb\nccc\n');
});

test('the completion scripts contain every command and every option', () => {
  for (const script of [bash(), zsh(), fish()]) {
    for (const [name, options] of Object.entries(commandOptions)) {
      expect(script).toContain(name);
      for (const option of Object.keys(options)) expect(script).toContain(option);
    }
  }
});
