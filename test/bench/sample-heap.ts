import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

// Imported by a client process that profile.ts starts: samples allocations and writes a profile when the process exits.

const { HEAP_PROFILE: file = '', HEAP_PROFILE_MODE: mode } = process.env;
/** Without collected objects, the profile contains only what is alive at the end. */
const collected = mode === 'allocations';

const session = new Session();
session.connect();
session.post('HeapProfiler.startSampling', {
  samplingInterval: 8_192,
  includeObjectsCollectedByMajorGC: collected,
  includeObjectsCollectedByMinorGC: collected,
});
process.on('exit', () => {
  session.post('HeapProfiler.stopSampling', (error, result) => {
    writeFileSync(file, JSON.stringify(result?.profile ?? String(error)));
  });
});
