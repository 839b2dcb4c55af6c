/** Messages that the playground suggests, with the replies of the reference gateway. */
export const suggestions: Readonly<Record<string, string>> = {
  'Describe a harbor at dawn': `Before the sun is up, the harbor is a **sheet of gray glass**. Masts stand still, ropes hang slack, and the only sound is water under the planks.

Then a line of light opens along the breakwater:

- gulls lift off the roofs, all at once
- a diesel engine coughs, catches, and settles
- the first boat turns its bow to the open sea

By the time the bakery opens, the tide has turned, and the day has begun without asking anyone.`,
  'Explain what an API gateway does': `An **API gateway** is one address in front of many services. For models, that means:

1. **One key and one bill.** Every model draws from the same wallet.
2. **One shape.** A request looks the same whichever model responds.
3. **Limits in one place.** It counts the requests in flight and rejects those above your limit with a \`429\`.
4. **Slow work as tasks.** An image or a video is submitted, polled and downloaded.

What a gateway cannot know is whether its response has reached you. That is the client's job.`,
  'What does an idempotency key do?': `It makes a retry safe. The client creates a key **before** it sends a paid request, and sends the same key with every retry:

\`\`\`
POST /v1/images/tasks   x-idempotency-key: 7f3a…   → response lost
POST /v1/images/tasks   x-idempotency-key: 7f3a…   → the same task, charged once
\`\`\`

If the first request was carried out, the service returns its task and charges nothing. If it never arrived, it is carried out now. You pay once either way.

Chats have no such promise, so polygate never repeats one that may have been charged.`,
};
