import { ask } from '../../state/chat.ts';

const ideas = [
  'Describe a harbour at dawn',
  'Name three things that a gate is for',
  'What does an idempotency key do?',
];

/** An empty conversation: what this page is, and a way in. */
export function Welcome({ model }: { model: string | undefined }) {
  return (
    <div class="welcome">
      <p class="welcome-line">
        Everything here goes through one gate: <em>break it</em> and watch it recover.
      </p>
      <p class="welcome-text">
        This page talks to the gateway with polygate and holds no key. Turn a switch in the control
        room, then ask, draw or film. Each thing is paid for once.
      </p>
      <ul class="ideas">
        {ideas.map((idea) => (
          <li key={idea}>
            <button
              type="button"
              class="idea"
              disabled={model === undefined}
              onClick={() => void (model !== undefined && ask(idea, model))}
            >
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
