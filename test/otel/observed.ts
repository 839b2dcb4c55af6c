import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished } from 'vitest';

import { Polygate } from '../../src/index.ts';
import type { PolygateOptions } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../src/mock/index.ts';
import { wrongNames } from './names.ts';
import { recording } from './support.ts';

/** What every request of the tests must keep out of spans and metrics. */
export const secrets = {
  prompt: 'PROMPT-b7e1',
  key: 'KEY-b7e1',
} as const;

export const messages = [{ role: 'user' as const, content: 'Hello' }];
export const chatParams = { model: 'aurora-chat', messages };
export const imageParams = { model: 'prism-image', prompt: 'A harbour' };
export const videoParams = { model: 'tide-video', prompt: 'A harbour' };
export const musicParams = { model: 'anthem-music', prompt: 'A shanty' };
export const speechParams = { model: 'echo-speech', text: 'Ahoy', voice: 'v' };
export const materialParams = { url: 'https://files.example/a.png', type: 'image' as const };
