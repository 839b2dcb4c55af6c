import * as fc from 'fast-check';

/**
 * A request that is carried out, and whose error response has lost its body: with the connection, or unnoticed.
 * `attempt` chooses which attempts fail this way.
 */
export const lostBody = (attempt: fc.Arbitrary<number[]>) =>
  fc
    .record({
      status: fc.constantFrom(409, 503),
      cut: fc.constantFrom({ truncateBody: 5 }, { body: '{"error":{"co' }),
      attempt,
    })
    .map(({ cut, ...fault }) => ({ ...fault, ...cut, handled: true }));
