/**
 * signalbox/telemetry: spans and metrics of a host's tasks by the OpenTelemetry API, with the semantic conventions for
 * generative AI (docs/guide/telemetry.md).
 */
export { observeTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
