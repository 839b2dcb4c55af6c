/** Prints the spans of a trace as a waterfall: what happened inside what, when, and for how long. */
import { stripVTControlCharacters, styleText } from 'node:util';

import type { Attributes, HrTime } from '@opentelemetry/api';
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace-node';

const width = Math.min(process.stdout.columns || 100, 100);
const nameWidth = 43;
const timeWidth = 7;
const barWidth = Math.max(10, width - nameWidth - timeWidth - 2);

const toMs = ([seconds, nanoseconds]: HrTime): number => seconds * 1_000 + nanoseconds / 1e6;

/** Formats a duration with three digits. */
const duration = (ms: number): string =>
  ms < 999.5 ? `${ms.toFixed()} ms` : `${(ms / 1_000).toFixed(2)} s`;

/** Prints all spans. They must belong to one trace with one root. */
export function printTrace(spans: readonly ReadableSpan[]): void {
  const [root] = childrenOf(undefined, spans);
  if (root === undefined) return;
  const start = toMs(root.startTime);
  const scale = barWidth / toMs(root.duration);
  const column = (time: HrTime) => Math.round((toMs(time) - start) * scale);
  printSpan(root, '', '');

  /** `branch` starts the line of the span, `indent` the lines below it. */
  function printSpan(span: ReadableSpan, branch: string, indent: string): void {
    const children = childrenOf(span, spans);
    const from = Math.min(barWidth - 1, column(span.startTime));
    const bar = ' '.repeat(from) + '█'.repeat(Math.max(1, column(span.endTime) - from));
    const color = children.length > 0 ? 'cyan' : 'green';
    printLine(branch, span.name, duration(toMs(span.duration)), styleText(color, bar));
    const below = indent + (children.length > 0 ? '│    ' : '     ');
    for (const event of span.events) {
      const text = describe(event);
      const mark = `${' '.repeat(Math.max(0, column(event.time) - 1))}◆`;
      if (text) printLine(below, styleText('yellow', text), '', styleText('yellow', mark));
    }
    for (const fact of facts(span.attributes)) printLine(below, styleText('dim', fact));
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      printSpan(child, `${indent}${isLast ? '└─' : '├─'} `, `${indent}${isLast ? '  ' : '│ '} `);
    }
  }
}

/** Prints a line of the table. Colors do not count as part of a column's width. */
function printLine(branch: string, text: string, time = '', bar = ''): void {
  const gap = ' '.repeat(
    Math.max(1, nameWidth - branch.length - stripVTControlCharacters(text).length),
  );
  console.log(
    `${styleText('dim', branch)}${text}${gap}${time.padStart(timeWidth)}  ${bar}`.trimEnd(),
  );
}

function childrenOf(parent: ReadableSpan | undefined, spans: readonly ReadableSpan[]) {
  const id = parent?.spanContext().spanId;
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
    .toSorted((a, b) => toMs(a.startTime) - toMs(b.startTime));
}

function describe({ name, attributes = {} }: TimedEvent): string | undefined {
  if (name === 'polygate.status') return `status ${String(attributes['polygate.status'])}`;
  if (name !== 'polygate.retry') return undefined;
  const status = attributes['http.response.status_code'] ?? 'no response';
  return `${String(status)}, retry with same key`;
}

function facts(attributes: Attributes): string[] {
  const text = (name: string) => String(attributes[name]);
  const toFirstChunk = Number(attributes['gen_ai.response.time_to_first_chunk']) * 1_000;
  const replayed = attributes['polygate.replayed'] === true ? ', replayed' : '';
  const tokens = ['input', 'output'].map((side) => text(`gen_ai.usage.${side}_tokens`));
  return [
    ...('polygate.charge_usd' in attributes
      ? [`${text('polygate.charge_usd')} USD${replayed}`]
      : []),
    ...('gen_ai.usage.input_tokens' in attributes ? [`${tokens.join(' tokens in, ')} out`] : []),
    ...(toFirstChunk >= 0 ? [`first chunk after ${duration(toFirstChunk)}`] : []),
  ];
}
