import type { Json } from "../machines/tool-call/json.ts";
import { ControlError } from "./error.ts";
import type { Monitor, Monitors } from "./monitor.ts";

interface Form {
  readonly name: string;
  readonly monitors: Monitors;
  readonly state: Json;
  readonly chances: readonly number[];
  readonly auditBudget?: number | undefined;
}

/** Reject a protocol whose form is not valid. @throws ControlError `PROTOCOL_INVALID` */
export function assertProtocol({ name, monitors, state, chances, auditBudget = 0 }: Form): void {
  const expected = (what: string, got: unknown): ControlError =>
    new ControlError(
      "PROTOCOL_INVALID",
      `Protocol "${name}": expected ${what}, got ${JSON.stringify(got)}. Correct it.`,
    );
  if (name.trim() === "") throw expected("a name", name);
  if (!chances.every(isShare)) throw expected("chances from 0 to 1", chances);
  if (!(Number.isInteger(auditBudget) && auditBudget >= 0))
    throw expected("an auditBudget of at least 0", auditBudget);
  if (!isPlain(state)) throw expected("a state that JSON writes and reads back unchanged", state);
  for (const [monitor, { thresholds, ...asked }] of Object.entries(monitors)) {
    if (!thresholds.every(isShare)) throw expected(`thresholds of ${monitor} from 0 to 1`, thresholds);
    if ("members" in asked && Object.keys(asked.members).length === 0)
      throw expected(`members of ${monitor}`, asked.members);
    if ("by" in asked && asked.honeypotOf !== undefined && !isSingle(monitors[asked.honeypotOf]))
      throw expected(`${monitor} to test a monitor without members`, asked.honeypotOf);
  }
}

const isShare = (value: number): boolean => value >= 0 && value <= 1;

const isSingle = (monitor: Monitor | undefined): boolean => monitor !== undefined && "by" in monitor;

/** Whether a value is plain JSON, all the way down. */
function isPlain(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlain);
}
