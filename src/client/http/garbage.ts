/**
 * Calls a callback when an object has been garbage collected. React Native and workers with an old compatibility date
 * lack `FinalizationRegistry`. A callback must not refer to its object, which could then never be collected.
 */
export const garbage =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry<() => void>((callback) => callback());

/** References an object without keeping it alive, except where `FinalizationRegistry` is missing, and `WeakRef` with it. */
export function weakly<Target extends object>(target: Target): Pick<WeakRef<Target>, 'deref'> {
  return garbage ? new WeakRef(target) : { deref: () => target };
}
