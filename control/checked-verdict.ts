import type { ControlPoint, Json } from "../machines/tool-call/control.ts";
import { ControlError } from "./error.ts";
import { isPlain } from "./plain.ts";
import type { Decision } from "./verdict.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

/** The fields of each verdict beside its kind, and the points that take it. */
const VERDICTS: Readonly<
  Record<string, { readonly at: readonly ControlPoint[]; readonly fields: Readonly<Record<string, Check>> }>
> = {
  pass: { at: ["response", "call", "result"], fields: {} },
  deny: { at: ["response", "call", "result"], fields: { reason: isText } },
  audit: { at: ["response", "call", "result"], fields: {} },
  shutDown: { at: ["response", "call", "result"], fields: { reason: isText } },
  replace: { at: ["response", "call"], fields: { from: isOneOf("scratch", "edit") } },
  resample: {
    at: ["response"],
    fields: {
      k: (value) => Number.isInteger(value) && Number(value) >= 1,
      choose: isOneOf("leastSuspicious", "newest"),
    },
  },
  modify: { at: ["response", "call", "result"], fields: { reason: isText } },
};

/** The content of `modify`, by the point. */
const MODIFIED: Readonly<Record<ControlPoint, readonly [field: string, check: Check]>> = {
  response: ["text", isText],
  call: ["input", isObject],
  result: ["result", isText],
};

/** The decision of a judge, if it has the form. @throws ControlError `VERDICT_INVALID` */
export function checkedDecision<Verdict>(
  protocol: string,
  point: ControlPoint,
  decision: Decision<Verdict, Json>,
): Decision<Verdict, Json> {
  const what = problemOf(point, decision);
  if (what === undefined) return decision;
  throw new ControlError(
    "VERDICT_INVALID",
    `Protocol "${protocol}" at a ${point}: expected ${what}, got ${JSON.stringify(decision) ?? typeof decision}. Correct its judge.`,
  );
}

function problemOf(point: ControlPoint, decision: unknown): string | undefined {
  if (decision instanceof Promise) return "a decision at once, without await";
  if (typeof decision !== "object" || decision === null || !("verdict" in decision) || !("state" in decision))
    return "{ verdict, state }";
  const { verdict, state } = decision;
  if (!isPlain(state)) return "a state that JSON writes and reads back unchanged";
  if (typeof verdict !== "object" || verdict === null || !("kind" in verdict)) return "a verdict with a kind";
  const kind = String(verdict.kind);
  const known = Object.hasOwn(VERDICTS, kind) ? VERDICTS[kind] : undefined;
  if (known?.at.includes(point) !== true)
    return `a verdict of ${Object.keys(VERDICTS)
      .filter((each) => VERDICTS[each]?.at.includes(point))
      .join(", ")}`;
  const [content, check] = MODIFIED[point];
  const fields = kind === "modify" ? { ...known.fields, [content]: check } : known.fields;
  const wrong = Object.entries(fields).find(
    ([field, fits]) => !fits(field in verdict ? Reflect.get(verdict, field) : undefined),
  );
  return wrong && `a verdict ${kind} with a valid ${wrong[0]}`;
}
