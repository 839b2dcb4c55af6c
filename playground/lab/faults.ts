import type { Fault } from 'polygate/mock';

/** A switch of the control room and the faults that it injects into the reference gateway. */
export interface FaultPlan {
  id: string;
  title: string;
  description: string;
  faults: readonly Fault[];
}

const submits = ['POST /v1/{kind}/tasks', 'POST /v1/videos'];
const polls = ['GET /v1/{kind}/tasks/{id}', 'GET /v1/videos/{id}', 'GET /v1/materials/{id}'];
const chat = 'POST /v1/chat/completions';
const paid = [...submits, chat, 'POST /v1/audio/voices/{how}'];

const onEach = (routes: readonly string[], fault: Fault): Fault[] =>
  routes.map((route) => ({ ...fault, route }));

/** The switches of the control room. */
export const faultPlans: readonly FaultPlan[] = [
  {
    id: 'lost-response',
    title: 'Lose the response',
    description: 'Charged, then the connection drops.',
    faults: onEach([...submits, chat, 'POST /v1/materials'], { reset: 'after' }),
  },
  {
    id: 'unavailable',
    title: 'Unavailable',
    description: '503, nothing is processed.',
    faults: onEach(paid, { status: 503 }),
  },
  {
    id: 'too-many',
    title: 'Too many requests',
    description: '429, retry after two seconds.',
    faults: onEach(paid, { status: 429, code: 'concurrency_limit_exceeded', retryAfter: 2 }),
  },
  {
    id: 'truncated-stream',
    title: 'Truncate the stream',
    description: 'Chats end after a few chunks.',
    faults: [{ route: chat, cutStreamAfter: 9 }],
  },
  {
    id: 'slow',
    title: 'Slow responses',
    description: 'Paid requests take four seconds.',
    faults: onEach(paid, { delayMs: 4000 }),
  },
  {
    id: 'failed-polls',
    title: 'Fail polls',
    description: 'Polls get a 500.',
    faults: onEach(polls, { status: 500 }),
  },
  {
    id: 'insufficient-balance',
    title: 'Insufficient balance',
    description: '402 for paid requests.',
    faults: onEach(paid, { status: 402, code: 'insufficient_balance' }),
  },
];
