export { openTelemetry } from './telemetry.ts';
export type { OpenTelemetryOptions } from './telemetry.ts';
