import { inspect } from 'node:util';

import type { PolygateOptions } from 'polygate';
import { optionsOf } from 'polygate/doctor';
import type { CheckStatus, Diagnosis, DiagnosisCheck } from 'polygate/doctor';

import { omitUndefined } from '../../../wire/types/schema.ts';
import { exactUsd, formatUsd } from '../../money.ts';
import { commandOptions } from '../command-options.ts';
import type { EndReason } from '../run-command.ts';
import { repeatedOptions } from '../settings.ts';
import type { Settings } from '../settings.ts';
import { paint, wrap } from '../text.ts';
import type { Style } from '../text.ts';
import { mark, markWidth, idsOf } from './progress.ts';
import type { Detail } from './progress.ts';

/** The default of `--timeout`. */
const defaultTimeoutMs = Number(commandOptions.doctor.timeout.default) * 1000;

/** The largest value of `--timeout`. */
export const maxTimeoutMs = 86_400_000;

/** The options of the command that the summary explains or repeats. */
type DoctorOptions = Detail & { readonly timeoutMs: number };

/** What the summary reports. */
interface SummaryInput {
  diagnosis: Diagnosis;
  options: DoctorOptions;
  settings: Settings;
  /** Undefined if all checks ran. */
  end: EndReason | undefined;
}

/** The amount that the summary suggests for `--spend`. */
const suggestedSpendUsd = 0.1;

/** Formats the summary: what to do, the options to set, what could not be tested, and what was spent. */
export function summary(style: Style, input: SummaryInput): string {
  const { checks } = input.diagnosis;
  const { verbose } = input.options;
  const sections = [
    problems(style, checks, verbose),
    optionsToSet(style, input.diagnosis),
    verbose ? untested(style, checks) : '',
    result(style, input),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function heading(style: Style, text: string): string {
  return paint(style, 'bold', text);
}

/** The findings that need attention, failures first. Most checks that were skipped need none. */
function openFindings(checks: readonly DiagnosisCheck[]): DiagnosisCheck[] {
  return (['failed', 'warning', 'skipped'] as const).flatMap((status) =>
    checks.filter(
      (check) => check.status === status && (status !== 'skipped' || check.advice !== undefined),
    ),
  );
}

/** Lists the findings that need attention. */
function problems(style: Style, checks: readonly DiagnosisCheck[], isVerbose: boolean): string {
  const found = openFindings(checks);
  if (found.length === 0) return '';
  const indent = markWidth(style);
  const lines = found.flatMap((check) => {
    const { status, title, advice, detail } = check;
    const format = (text: string) => wrap(text, indent, style.width);
    return [
      `${mark(style, status)} ${format(`${title}${isVerbose ? ` ${idsOf(check)}` : ''}: ${detail}`)}`,
      ...(advice === undefined ? [] : [' '.repeat(indent) + format(advice)]),
    ];
  });
  return [heading(style, 'What to do'), '', ...lines].join('\n');
}

function optionsToSet(style: Style, diagnosis: Diagnosis): string {
  const options = optionsOf(diagnosis);
  if (Object.keys(options).length === 0) return '';
  const title = heading(style, 'Options to set');
  return `${title}\n\n${paint(style, 'cyan', clientCode(options))}`;
}

/** Lists the assumptions that were not tested, by reason. */
function untested(style: Style, checks: readonly DiagnosisCheck[]): string {
  const byReason = new Map<string, string[]>();
  const skipped = checks.filter(({ status }) => status === 'skipped');
  for (const { assumption, detail } of skipped.toSorted(
    (one, other) => numberOf(one) - numberOf(other),
  )) {
    if (assumption === undefined) continue;
    byReason.set(detail, [...(byReason.get(detail) ?? []), assumption]);
  }
  // One reason for all is that of the whole run, which the lines above give.
  if (byReason.size < 2) return '';
  const lines = Array.from(byReason, ([reason, ids]) =>
    wrap(`${ids.join(', ')}: ${reason}`, 2, style.width),
  );
  return [heading(style, 'Assumptions that were not tested'), '', ...lines].join('\n');
}

function numberOf({ assumption = 'A0' }: DiagnosisCheck): number {
  return Number(assumption.slice(1));
}

function result(style: Style, input: SummaryInput): string {
  const { diagnosis, options, end } = input;
  const { checks, spentUsd, unconfirmedUsd } = diagnosis;
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const failed = count('failed');
  const counts = [
    failed > 0 ? paint(style, ['bold', 'red'], `${failed} failed`) : '0 failed',
    `${count('warning')} ${count('warning') === 1 ? 'warning' : 'warnings'}`,
    `${count('ok')} ok`,
    `${count('skipped')} skipped`,
  ];
  const limit = options.maxSpendUsd;
  const spent = [
    `${formatUsd(spentUsd)}${limit === undefined ? '' : ` of at most ${exactUsd(limit)}`}`,
    ...(unconfirmedUsd === undefined
      ? []
      : [`requests without a known charge may have cost up to ${formatUsd(unconfirmedUsd)} more`]),
  ].join('; ');
  const [advice, command] = nextStep(input, failed);
  const line = (name: string, text: string) =>
    heading(style, name) + ' '.repeat(8 - name.length) + wrap(text, 8, style.width);
  const lines = [
    ...(end === undefined ? [] : [endLine(style, end, options)]),
    line('Result', counts.join(', ')),
    line('Spent', spent),
    line('Next', advice),
    ...(command === undefined ? [] : ['', `  ${command}`]),
  ];
  return lines.join('\n');
}

function endLine(style: Style, end: EndReason, { timeoutMs }: DoctorOptions): string {
  const text =
    end === 'interrupted'
      ? 'Interrupted. Checks that had not ended were skipped.'
      : `The checks did not end within ${timeoutMs / 1000} s. --timeout <s> allows more time.`;
  return `${paint(style, 'yellow', wrap(text, 0, style.width))}\n`;
}

/** What to do next, and the command to run, if there is one. */
function nextStep(
  { diagnosis, options, settings, end }: SummaryInput,
  failed: number,
): [advice: string, command?: string] {
  const { checks } = diagnosis;
  const again = commandLine(options, settings, end);
  if (end !== undefined) return ['Run the command again:', again];
  const hasOptions = Object.keys(optionsOf(diagnosis)).length > 0;
  if (failed > 0 && !hasOptions) return ['Fix what failed, then run the command again:', again];
  if (checks.some(({ skipReason }) => skipReason === 'rate-limited')) {
    return ['Run the command again:', again];
  }
  if (options.maxSpendUsd === undefined) {
    return [
      `Test what costs money, for at most ${formatUsd(suggestedSpendUsd)}:`,
      commandLine({ ...options, maxSpendUsd: suggestedSpendUsd }, settings, end),
    ];
  }
  if (hasOptions) return ['Add the options above to your client, if it does not have them.'];
  if (openFindings(checks).length > 0) return ['See "What to do" above.'];
  const isSkipped = (check: DiagnosisCheck) =>
    check.status === 'skipped' &&
    (/^(chat|image-task)$/.test(check.id) || check.skipReason === 'too-expensive');
  return checks.some(isSkipped)
    ? ['Not all checks that cost money ran. Their lines above say why.']
    : ['Nothing to do: the client works with this service.'];
}

/** The same command again. After a timeout, with twice the time. */
function commandLine(
  { maxSpendUsd, timeoutMs }: DoctorOptions,
  settings: Settings,
  end: EndReason | undefined,
): string {
  const timeout = end === 'timeout' ? Math.min(timeoutMs * 2, maxTimeoutMs) : timeoutMs;
  return [
    `npx polygate doctor${repeatedOptions(settings)}`,
    maxSpendUsd !== undefined && `--spend ${exactUsd(maxSpendUsd).slice(1)}`,
    timeout !== defaultTimeoutMs && `--timeout ${timeout / 1000}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Formats options as code that creates a client with them. */
export function clientCode(options: PolygateOptions): string {
  const format = { depth: null, breakLength: 76, maxStringLength: null, maxArrayLength: null };
  const fields = Object.entries(omitUndefined(options)).map(
    ([name, value]) => `  ${name}: ${inspect(value, format).replaceAll('\n', '\n  ')},\n`,
  );
  return `const gateway = new Polygate({\n${fields.join('')}});`;
}
