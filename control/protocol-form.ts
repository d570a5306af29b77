import type { Json } from "../machines/tool-call/control.ts";
import { ControlError } from "./error.ts";
import type { Monitor, Monitors } from "./monitor.ts";
import { isPlain } from "./plain.ts";

interface Form {
  readonly name: string;
  readonly monitors: Monitors;
  readonly state: Json;
  readonly chances?: readonly number[];
  readonly auditBudget?: number | undefined;
}

const JUDGES = ["judgeResponse", "judgeCall", "judgeResult"] as const;
/** A misspelled judge would never be called. */
const FIELDS: readonly string[] = [
  ...["name", "monitors", "state", "auditBudget", "chances", "explains"],
  ...JUDGES,
];
const SCORED_BY: readonly unknown[] = ["trusted", "untrusted", "function", "person"];
const POINTS: readonly unknown[] = ["response", "call", "result"];

type Definition = Form & Readonly<Partial<Record<(typeof JUDGES)[number], unknown>>>;
type Expected = (what: string, got: unknown) => ControlError;

/** Reject a protocol whose form is not valid. @throws ControlError `PROTOCOL_INVALID` */
export function assertProtocol(definition: Definition): void {
  const { name, monitors } = definition;
  const expected: Expected = (what, got) =>
    new ControlError(
      "PROTOCOL_INVALID",
      `Protocol "${name}": expected ${what}, got ${JSON.stringify(got)}. Correct it.`,
    );
  assertFields(definition, expected);
  for (const [monitor, asked] of Object.entries(monitors)) {
    assertMonitor(monitor, asked, expected);
    if ("by" in asked && asked.honeypotOf !== undefined && !isSingle(monitors[asked.honeypotOf]))
      throw expected(`${monitor} to test a monitor without members`, asked.honeypotOf);
  }
  if (!JUDGES.some((judge) => typeof definition[judge] === "function"))
    throw expected(`at least one judge of ${JUDGES.join(", ")}`, Object.keys(definition));
}

function assertFields(definition: Definition, expected: Expected): void {
  const { name, state, chances = [], auditBudget = 0 } = definition;
  if (name.trim() === "") throw expected("a name", name);
  const unknown = Object.keys(definition).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw expected(`the fields ${FIELDS.join(", ")} only`, unknown);
  if (!chances.every(isShare)) throw expected("chances from 0 to 1", chances);
  if (!(Number.isInteger(auditBudget) && auditBudget >= 0))
    throw expected("an auditBudget of at least 0", auditBudget);
  if (!isPlain(state)) throw expected("a state that JSON writes and reads back unchanged", state);
}

function assertMonitor(name: string, { thresholds, at, ...asked }: Monitor, expected: Expected): void {
  if (!POINTS.includes(at)) throw expected(`the point of ${name} to be response, call or result`, at);
  if (!("members" in asked) && !SCORED_BY.includes(asked.by))
    throw expected(`${name} by trusted, untrusted, function or person`, asked.by);
  if (!Array.isArray(thresholds) || !thresholds.every(isShare))
    throw expected(`thresholds of ${name} from 0 to 1`, thresholds);
  if ("members" in asked && Object.keys(asked.members).length === 0)
    throw expected(`members of ${name}`, asked.members);
}

const isShare = (value: number): boolean => value >= 0 && value <= 1;

const isSingle = (monitor: Monitor | undefined): boolean => monitor !== undefined && "by" in monitor;
