import { Highlighted } from './highlighted.tsx';

/** The programs that a scene runs, side by side, by their labels. Closed at first. */
export function RunningCode({ programs }: { programs: Readonly<Record<string, string>> }) {
  const listings = Object.entries(programs).map(([label, code]) => (
    <Highlighted key={label} label={label} code={code} />
  ));
  return (
    <details class="plug-code">
      <summary>The code that runs here</summary>
      {listings.length === 1 ? listings : <div class="plug-sides">{listings}</div>}
    </details>
  );
}
