import type { Fault } from 'polygate/mock';

/** A switch of the control room: what it does to the reference gateway. */
export interface FaultPlan {
  id: string;
  title: string;
  says: string;
  faults: readonly Fault[];
}

const submits = ['POST /v1/{kind}/tasks', 'POST /v1/videos'];
const polls = ['GET /v1/{kind}/tasks/{id}', 'GET /v1/videos/{id}', 'GET /v1/materials/{id}'];
const chat = 'POST /v1/chat/completions';
const paid = [...submits, chat, 'POST /v1/audio/voices/{how}'];

const onEach = (routes: readonly string[], fault: Fault): Fault[] =>
  routes.map((route) => ({ ...fault, route }));

/** All that can go wrong at the press of a button. */
export const faultPlans: readonly FaultPlan[] = [
  {
    id: 'lost-answer',
    title: 'Lose the answer',
    says: 'Accepted and charged, then cut off.',
    faults: onEach([...submits, 'POST /v1/materials'], { reset: 'after' }),
  },
  {
    id: 'unavailable',
    title: 'Unavailable',
    says: '503, and nothing was done.',
    faults: onEach(paid, { status: 503 }),
  },
  {
    id: 'too-many',
    title: 'Too many requests',
    says: '429, back in two seconds.',
    faults: onEach(paid, { status: 429, code: 'concurrency_limit_exceeded', retryAfter: 2 }),
  },
  {
    id: 'cut-stream',
    title: 'Cut the stream',
    says: 'A chat ends after a few words.',
    faults: [{ route: chat, cutStreamAfter: 9 }],
  },
  {
    id: 'slow',
    title: 'Answer late',
    says: 'Paid requests take four seconds.',
    faults: onEach(paid, { delayMs: 4000 }),
  },
  {
    id: 'blind-polls',
    title: 'Lose sight',
    says: 'Polls are answered with 500.',
    faults: onEach(polls, { status: 500 }),
  },
  {
    id: 'no-money',
    title: 'Empty wallet',
    says: '402 for everything that costs.',
    faults: onEach(paid, { status: 402, code: 'insufficient_balance' }),
  },
];
