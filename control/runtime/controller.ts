import type { ControlPoint } from "../../machines/tool-call/control.ts";
import { ControlError } from "../error.ts";
import type { Protocol } from "../protocol.ts";
import type { AuditAction, RunMonitor, WriteTrusted } from "./action.ts";

/** A protocol with the functions that it needs to control a task. */
export interface Controller {
  readonly protocol: Protocol;
  /** By the names of the protocol's monitors, or `MONITOR/MEMBER` for a member of an ensemble. */
  readonly monitors: Readonly<Record<string, RunMonitor>>;
  /** Writes the actions of the trusted model. Without it, a verdict `replace` denies. */
  readonly trusted?: WriteTrusted;
  /**
   * Audits in place of a person. Default: a person is asked about a call, and a "no" ends the task; responses and results
   * can't be audited, and are withheld.
   */
  readonly auditor?: AuditAction;
  /** Seed of the drawn numbers. Default 0. */
  readonly seed?: number;
  /** Maximum responses that are sampled for one request; one that needs more is withheld. Default 64. */
  readonly samplesMax?: number;
  /** Time of one decision, in milliseconds: a score that has not come by then is 1. Default 60,000. */
  readonly timeoutMs?: number;
}

/** The points at which a protocol decides. */
export const pointsOf = ({ judgeResponse, judgeCall, judgeResult }: Protocol): readonly ControlPoint[] => [
  ...(judgeResponse === undefined ? [] : (["response"] as const)),
  ...(judgeCall === undefined ? [] : (["call"] as const)),
  ...(judgeResult === undefined ? [] : (["result"] as const)),
];

/** The keys of the functions that give the scores of a monitor. */
export function keysOf({ monitors }: Protocol, name: string): readonly string[] {
  const monitor = monitors[name];
  if (monitor === undefined || !("members" in monitor)) return [name];
  return Object.keys(monitor.members).map((member) => `${name}/${member}`);
}

/** Reject a controller that lacks the function of a monitor. @throws ControlError `CONTROLLER_INVALID` */
export function assertController({ protocol, monitors }: Controller): void {
  const missing = Object.keys(protocol.monitors)
    .flatMap((name) => keysOf(protocol, name))
    .find((key) => typeof monitors[key] !== "function");
  if (missing === undefined) return;
  throw new ControlError(
    "CONTROLLER_INVALID",
    `Expected a function of the monitor ${missing} of protocol "${protocol.name}", got ${typeof monitors[missing]}. Add it to monitors.`,
  );
}
