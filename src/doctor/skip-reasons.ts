/** Reasons to skip a check that `polygate doctor` reacts to. A finding has them only as text. */
import type { DiagnosisCheck } from './diagnosis.ts';
import { usd } from './text.ts';

const rateLimited = 'Rate limited: ';
const costs = 'This check costs up to ';

export const describeRateLimit = (message: string): string => rateLimited + message;

export const isRateLimited = ({ detail }: DiagnosisCheck): boolean =>
  detail.startsWith(rateLimited);

/** `problem` completes the sentence. */
export const describeCost = (priceUsd: number, problem: string): string =>
  `${costs}${usd(priceUsd)}${problem}`;

export const isTooExpensive = ({ detail }: DiagnosisCheck): boolean => detail.startsWith(costs);
