/** For `node --import`: moves the clock of the process by `CLOCK_SKEW_MS`, before any other module reads it. */
const skew = Number(process.env.CLOCK_SKEW_MS ?? 0);
const { now } = Date;

if (skew !== 0) {
  globalThis.Date = new Proxy(Date, {
    construct: (target, args) =>
      Reflect.construct(target, args.length === 0 ? [now() + skew] : args),
    get: (target, name) => (name === 'now' ? () => now() + skew : Reflect.get(target, name)),
  });
}
