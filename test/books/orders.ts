/** The requests that scenarios order. */

/** The models of the service with the price per image that it lists. All of them cost {@link Settings.unitUsd}. */
export type ModelName = 'right' | 'low' | 'free' | 'unlisted';

/** A request that a scenario orders. */
export interface Order {
  /** Undefined if it has none. Requests with the key `bad` are always invalid. */
  readonly key: string | undefined;
  readonly body: number;
  readonly units: number;
  readonly model: ModelName;
  /** A name in {@link fates}. */
  readonly fate: string;
  /** Whether its response is held back until other requests have arrived. */
  readonly isHeld: boolean;
}

/** How the service behaves in a scenario. */
export interface Settings {
  /** What one unit costs, in USD. */
  readonly unitUsd: number;
  /** The listed price of `low`. */
  readonly lowUsd: number;
  readonly ignoresKeys: boolean;
  /** What a replay says about the charge. */
  readonly replays: 'charge' | 'zero' | 'nothing';
  /** What another body of a charged key gets. */
  readonly otherBody: 'replay' | 'conflict';
  /** Whether another program has paid for every key before. */
  readonly isPaidElsewhere: boolean;
  /** How many requests a client sends at the same time; any number if it is 0. */
  readonly slots: number;
}

/** A sum without errors in the last digits. */
export const sumOf = (amounts: readonly number[]): number =>
  Number(amounts.reduce((sum, usd) => sum + usd, 0).toFixed(9));

export const promptOf = ({ key, body }: Order): string => `${key ?? 'none'} ${body}`;

/** What a request contains. */
export const textOf = (prompt: unknown, units: unknown, model: unknown) =>
  JSON.stringify([prompt, units, model]);

export const orderText = (order: Order): string =>
  textOf(promptOf(order), order.units, order.model);

/** The order of a request that was not announced. */
export function orderOf(text: string): Omit<Order, 'fate' | 'isHeld'> {
  const [prompt, units, model]: [string, number, ModelName] = JSON.parse(text);
  const [key, body] = prompt.split(' ');
  return { key: key === 'none' ? undefined : key, body: Number(body), units, model };
}
