import { useEffect, useState } from 'preact/hooks';

import type { Attempt, Exchange, RecordedBody, RecordedHeaders } from '../../../shared/lab.ts';
import { loadExchange } from '../../state/lab.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { formatMs, formatTime } from './describe-call.ts';
import { formatBytes, formatText } from './format-body.ts';

/** What was sent and received in an attempt. */
export function ExchangeView({ attempt }: { attempt: Attempt }) {
  const { number, at, method, status, headersMs, ms, state } = attempt;
  const [exchange, setExchange] = useState<Exchange | 'missing' | undefined>(undefined);
  useEffect(() => {
    // Loaded again whenever the attempt has changed.
    void loadExchange(number).then((loaded) => setExchange(loaded ?? 'missing'));
  }, [number, state, headersMs]);
  if (exchange === undefined) return <p class="exchange-note">Loading …</p>;
  if (exchange === 'missing') return <p class="exchange-note">This is no longer recorded.</p>;
  const { url, requestHeaders, requestBody, responseHeaders, responseBody, failure } = exchange;
  const { host, pathname, search } = new URL(url);
  const end = ms === undefined ? '' : `, ended after ${formatMs(ms)}`;
  return (
    <div class="exchange">
      <h4>Request</h4>
      <p class="exchange-line">
        {method} {pathname}
        {search}
      </p>
      <p class="exchange-note">
        Sent to {host} at {formatTime(at)}
      </p>
      <HeaderList title="Request headers" headers={requestHeaders} />
      {requestBody && <Body title="Request body" body={requestBody} />}
      <h4>Response</h4>
      {responseHeaders === undefined ? (
        <p class="exchange-note">
          {ms === undefined ? 'None so far.' : `None: ${failure ?? 'aborted'}${end}.`}
        </p>
      ) : (
        <>
          <p class="exchange-line">{status}</p>
          <p class="exchange-note">
            Headers after {formatMs(headersMs ?? 0)}
            {end}
          </p>
          <HeaderList title="Response headers" headers={responseHeaders} />
          {responseBody && <Body title="Response body" body={responseBody} />}
        </>
      )}
    </div>
  );
}

function HeaderList({ title, headers }: { title: string; headers: RecordedHeaders }) {
  const entries = Object.entries(headers);
  const text = entries.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <details class="exchange-part">
      <summary>
        {title} <span class="muted">{entries.length}</span>
      </summary>
      <CopyButton text={text} label={`Copy: ${title}`} />
      <dl class="headers">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Body({ title, body }: { title: string; body: RecordedBody }) {
  const { text, bytes, contentType, isCut } = body;
  if (bytes === 0) return null;
  if (text === undefined) {
    return (
      <p class="exchange-note">
        {title}: {formatBytes(bytes)} of {contentType}, not recorded.
      </p>
    );
  }
  const formatted = formatText(text);
  return (
    <details class="exchange-part" open>
      <summary>
        {title} <span class="muted">{formatBytes(bytes)}</span>
      </summary>
      <CopyButton text={formatted} label={`Copy: ${title}`} />
      {/* The focus makes it possible to scroll with the keyboard. */}
      <pre class="exchange-body" tabIndex={0} aria-label={title}>
        {formatted}
      </pre>
      {isCut && (
        <p class="exchange-note">Only the beginning of {formatBytes(bytes)} is recorded.</p>
      )}
    </details>
  );
}
