import type { Order } from '../../state/order.ts';
import { wordsOf } from '../../state/order.ts';
import { Player } from '../audio/player.tsx';

/** What an order has brought: pictures, films or sound. */
export function JobResult({ order, urls }: { order: Order; urls: readonly string[] }) {
  const words = wordsOf(order);
  return (
    <div class="result">
      {urls.map((url) => {
        switch (order.kind) {
          case 'image':
            return (
              <a key={url} href={url} target="_blank" rel="noreferrer">
                <img src={url} alt={words} loading="lazy" />
              </a>
            );
          case 'video':
            return <video key={url} src={url} aria-label={words} controls loop muted playsInline />;
          case 'speech':
          case 'music':
            return <Player key={url} url={url} name={words} />;
        }
      })}
    </div>
  );
}
