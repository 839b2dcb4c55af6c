import { unchecked } from '../../schemas/schema.ts';

/** An object whose fields are computed each time they are read. */
export function liveView<View>(getters: {
  readonly [Field in keyof View]-?: () => View[Field];
}): View {
  const view = {};
  for (const [name, get] of Object.entries<() => unknown>(getters)) {
    Object.defineProperty(view, name, { get, enumerable: true });
  }
  return unchecked(view);
}
