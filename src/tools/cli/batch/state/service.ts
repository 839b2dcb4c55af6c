import type { JournalContent } from '../../../../internal.ts';
import { isNonEmptyString, isRecord } from '../../../../wire/types/type-guards.ts';
import { UsageError } from '../../arguments.ts';
import { isSameService } from '../../state/service-url.ts';

/** Where rows are sent, and who pays for them. */
export interface Service {
  readonly baseURL: string;
  /** Identifies the API key without containing it. */
  readonly account: string;
}

/** The service of a journal. */
export interface JournalService extends Service {
  /** The id of the run of the journal. */
  readonly run: string;
}

/** Whether a value is a service. */
export function isService(value: unknown): value is JournalService {
  return isRecord(value) && [value.baseURL, value.account, value.run].every(isNonEmptyString);
}

/** What decides whether a journal may be continued at a service. */
interface Continuation {
  /** The service of this run. */
  readonly now: Service;
  /** The service of the last run; undefined if that is not recorded. */
  readonly before: JournalService | undefined;
  readonly journal: JournalContent;
  /** Whether the user says that the rows of the journal were sent by the account of this run. */
  readonly isSameAccount: boolean;
}

/**
 * Refuses to continue a journal where its rows would be paid for again: another service or account does not know their keys.
 * A row that was certainly not charged can be sent anywhere. An API key of the same account can read the tasks of another.
 *
 * @throws `UsageError` if the journal must not be continued.
 */
export function checkService({ now, before, journal, isSameAccount }: Continuation): void {
  const rows = [...journal.rows.values()];
  const isUsed = journal.isDamaged || rows.some(({ mayBeCharged }) => mayBeCharged);
  if (!isUsed) return;
  // The record can be that of another journal, which was here before.
  if (before === undefined || before.run !== journal.run) {
    if (isSameAccount) return;
    throw new UsageError(
      `the journal does not say which service its rows were sent to. If it was ${now.baseURL}, with this API key or another one of its account, add --same-account. Otherwise, they could be charged a second time. Nothing was sent`,
    );
  }
  if (!isSameService(before.baseURL, now.baseURL)) {
    throw new UsageError(
      `the rows of the journal were sent to ${before.baseURL}, so that ${now.baseURL} could charge them a second time: use --base-url ${before.baseURL}, or another --journal. Nothing was sent`,
    );
  }
  const open = rows.filter(({ needsReplay }) => needsReplay).length;
  if (before.account === now.account || isSameAccount) return;
  if (open === 0 && !journal.isDamaged) return;
  const [what, verb] =
    open === 1
      ? ['a row of the journal', 'was']
      : [`${open === 0 ? 'rows on damaged lines' : `${open} rows`} of the journal`, 'were'];
  throw new UsageError(
    `${what} ${verb} sent with another API key, and may have been charged. Sent with this one, it could be charged a second time: use the other key or, if both belong to one account, add --same-account. Nothing was sent`,
  );
}
