import { z } from "zod";
import type { Input } from "../../machines/tool-call/index.ts";
import { parseHookDecision } from "../../tools/index.ts";
import { wellFormedJson } from "../protocol/index.ts";
import { noDecision, REASON_MAX_CHARS } from "./failure.ts";

/** Limits of one decision. */
export interface HookLimits {
  /** Length of a reason, in UTF-16 units. Default 1,000. */
  readonly reasonMaxChars?: number;
  /** Length of a text for the model, in UTF-16 units. Default 20,000. */
  readonly contextMaxChars?: number;
  /** Bytes of arguments as JSON. Default 1,000,000. */
  readonly argumentsMaxBytes?: number;
}

/** A decision that was checked. */
export type CheckedDecision = { readonly context?: string } & (
  | { readonly kind: "allow" }
  | { readonly kind: "deny" | "ask"; readonly reason: string }
  | { readonly kind: "amend"; readonly input: Input }
);

const NO_REASON = "it gave no reason.";

/** Check what a hook returned. @throws ToolError `bad_hook` */
export function checkDecision(
  returned: unknown,
  {
    reasonMaxChars = REASON_MAX_CHARS,
    contextMaxChars = 20_000,
    argumentsMaxBytes = 1_000_000,
  }: HookLimits = {},
): CheckedDecision {
  if (returned === undefined) return { kind: "allow" };
  const { decision = "allow", reason = "", context = "", arguments: given } = parseHookDecision(returned);
  assertLength("reason", reason, reasonMaxChars);
  assertLength("context", context, contextMaxChars);
  if (given !== undefined && decision !== "amend")
    throw noDecision(`expected arguments with the decision amend only, received them with ${decision}.`);
  const said = context.trim() === "" ? {} : { context: context.toWellFormed() };
  switch (decision) {
    case "allow":
      return { kind: decision, ...said };
    case "amend":
      return { kind: decision, input: inputOf(given, argumentsMaxBytes), ...said };
    default:
      return { kind: decision, reason: reason.trim() === "" ? NO_REASON : reason.toWellFormed(), ...said };
  }
}

const Arguments = z.record(z.string(), z.unknown());

/** A copy: the hook may change its own. */
function inputOf(given: Input | undefined, maxBytes: number): Input {
  if (given === undefined) throw noDecision("expected arguments with the decision amend, received none.");
  const text = JSON.stringify(given);
  const size = Buffer.byteLength(text);
  if (size > maxBytes)
    throw noDecision(`expected at most ${maxBytes} bytes of arguments as JSON, received ${size}.`);
  return Arguments.parse(wellFormedJson(JSON.parse(text)));
}

function assertLength(field: string, text: string, max: number): void {
  if (text.length > max)
    throw noDecision(`${field}: expected at most ${max} characters, received ${text.length}.`);
}
