/** All tests that ask a language service, in one file: it reads the sources and the libraries once per process. */
await import('./compiler-errors.ts');
await import('./hover.ts');
await import('./typed-models.ts');
