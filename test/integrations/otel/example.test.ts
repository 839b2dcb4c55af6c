import { expect, test } from 'vitest';

import type {
  Telemetry,
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../../src/index.ts';
import { PolygateError } from '../../../src/index.ts';
import { drain, onMock } from '../../client/support.ts';
import { chat, image } from './observed.ts';

/** A telemetry of a user: one line of text for each operation, indented below its parent. */
class LineTelemetry implements Telemetry {
  readonly lines: string[] = [];

  startSpan(operation: TelemetryOperation, parent: TelemetrySpan | undefined): TelemetrySpan {
    const depth = parent instanceof LineSpan ? parent.depth + 1 : 0;
    return new LineSpan(operation, depth, (line) => this.lines.push(line));
  }
}

class LineSpan implements TelemetrySpan {
  readonly depth: number;
  readonly #name: string;
  readonly #write: (line: string) => void;
  #attempts = 0;
  #usd = 0;

  constructor(operation: TelemetryOperation, depth: number, write: (line: string) => void) {
    this.depth = depth;
    this.#write = write;
    this.#name =
      operation.type === 'call'
        ? `${operation.method} ${operation.template}`
        : `${operation.type} ${operation.kind}`;
  }

  runAttempt(send: () => void): void {
    this.#attempts += 1;
    send();
  }

  event(event: TelemetryEvent): void {
    if (event.type === 'charge') this.#usd += event.charge.usd;
  }

  end({ error, meta }: TelemetryResult): void {
    const result = PolygateError.is(error) ? error.name : (meta?.().status ?? 'ok');
    const details = [
      this.#attempts > 1 && `${this.#attempts} attempts`,
      this.#usd > 0 && `${this.#usd} USD`,
    ];
    const line = [`${this.#name}: ${result}`, ...details.filter(Boolean)].join(', ');
    this.#write('  '.repeat(this.depth) + line);
  }
}

test('a user can implement Telemetry', async () => {
  const telemetry = new LineTelemetry();
  const { gateway, mock } = onMock({}, { telemetry });
  mock.fail({ route: 'POST /v1/images/tasks', status: 503, times: 1 });
  await mock.clock.settle(gateway.images.generate(image));
  await mock.clock.settle(drain(gateway.chat.completions.stream(chat)));
  mock.fail({ status: 402 });
  await mock.clock.settle(Promise.allSettled([gateway.images.generate(image)]));
  expect(telemetry.lines.filter((line, index, lines) => line !== lines[index - 1])).toEqual([
    '  POST /v1/images/tasks: 202, 2 attempts, 0.02 USD',
    '    GET /v1/images/tasks/{id}: 200',
    '  wait image: ok',
    'generate image: 202',
    `POST /v1/chat/completions: 200, ${mock.invoice[1]?.usd} USD`,
    '  POST /v1/images/tasks: PaymentRequiredError',
    'generate image: PaymentRequiredError',
  ]);
});
