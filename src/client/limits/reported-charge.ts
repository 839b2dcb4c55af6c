/**
 * The charge in USD that a response to a paid request reports. Undefined if it reports none: then the estimate of a request that
 * has succeeded counts toward every budget, because a service may charge without reporting it. A replay that costs nothing says
 * nothing about the request that it repeats.
 */
export function reportedCharge(
  chargeUsd: number | undefined,
  isReplay: boolean,
): number | undefined {
  return isReplay ? chargeUsd || undefined : chargeUsd;
}
