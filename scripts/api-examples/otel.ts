/** Examples of the API reference for `polygate/otel`. */
import { Polygate } from 'polygate';
import { openTelemetry } from 'polygate/otel';

// For OpenTelemetryOptions
export function traced() {
  return new Polygate({ telemetry: openTelemetry({ captureContent: true }) });
}
