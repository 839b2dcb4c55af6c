import { PullThePlug } from '../plug/pull-the-plug.tsx';

/** The first view: what happens to your money when a response is lost. */
export function StartView() {
  return (
    <section class="start" aria-labelledby="start-title">
      <header class="start-head">
        <h1 id="start-title">The response is lost. Who pays?</h1>
        <p>
          A request was carried out and charged, then the connection dropped. Pull the plug, and
          watch the invoices.
        </p>
      </header>
      <PullThePlug />
    </section>
  );
}
