/** The page: it shows what is left of the user's budget, and spends it on images. */
import { PaymentRequiredError, Polygate } from 'polygate';
import type { UserBudget } from 'polygate/proxy';

const gateway = new Polygate({ apiKey: null, baseURL: '/api/gateway' });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

async function showBudget(): Promise<void> {
  const response = await fetch('/api/gateway/budget');
  if (!response.ok) return show('budget', 'Your budget cannot be read at the moment.');
  const budget: UserBudget = await response.json();
  const { limitUsd: max = 0, remainingUsd: value = 0, windowEndsAt = '' } = budget;
  const meter = document.querySelector('meter');
  if (meter !== null) Object.assign(meter, { max, low: max / 4, value });
  const renewal = new Date(windowEndsAt).toLocaleString();
  show('budget', `${dollars.format(value)} of ${dollars.format(max)} left until ${renewal}`);
}

async function draw(): Promise<void> {
  try {
    const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor at dawn' });
    await showBudget();
    const { urls } = await task.wait();
    for (const src of urls) {
      const image = Object.assign(new Image(), { src, alt: 'A harbor at dawn' });
      document.querySelector('#images')?.append(image);
    }
  } catch (error) {
    const isLimit = error instanceof PaymentRequiredError && error.code === 'user_limit_exceeded';
    show('message', isLimit ? 'Your budget is used up.' : String(error));
  }
  await showBudget();
}

function show(id: string, text: string): void {
  document.querySelector(`#${id}`)?.replaceChildren(text);
}

function onClick(id: string, count: number): void {
  document.querySelector(`#${id}`)?.addEventListener('click', () => {
    show('message', '');
    for (let started = 0; started < count; started += 1) void draw();
  });
}

onClick('one', 1);
onClick('four', 4);
// Other tabs and devices of the user share the budget.
window.addEventListener('focus', () => void showBudget());
await showBudget();
