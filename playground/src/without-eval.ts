// Zod generates code if it may, which a content security policy prevents and reports. This has to be set before the
// first schema is created, so it is the first import of each entry.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
