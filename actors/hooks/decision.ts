import { z } from "zod";
import type { Input } from "../../machines/tool-call/call.ts";
import { parseHookDecision } from "../../tools/hook-decision.ts";
import { terminalText } from "../../tools/terminal-text.ts";
import { wellFormedJson } from "../protocol/well-formed.ts";
import { noDecision, REASON_MAX_CHARS } from "./failure.ts";

/** Limits of one decision. */
export interface HookLimits {
  /** Length of a reason, in UTF-16 units. Default 1,000. */
  readonly reasonMaxChars?: number;
  /** Length of a text for the model, in UTF-16 units. Default 20,000. */
  readonly contextMaxChars?: number;
  /** Bytes of arguments as JSON. Default 1,000,000. */
  readonly argumentsMaxBytes?: number;
  /** Bytes of a text in place of a result. Default 200,000, as of the results of tools. */
  readonly resultMaxBytes?: number;
}

/** A decision that was checked. */
export type CheckedDecision = { readonly context?: string } & (
  | { readonly kind: "allow" }
  | { readonly kind: "deny" | "ask"; readonly reason: string }
  | { readonly kind: "amend"; readonly input: Input }
  | { readonly kind: "replace"; readonly text: string }
);

const NO_REASON = "it gave no reason.";

/** A command may have printed it for a terminal. */
const shown = (text: string): string => terminalText(text).toWellFormed();

/** Check what a hook returned. @throws ToolError `HOOK_INVALID` */
export function checkDecision(
  returned: unknown,
  {
    reasonMaxChars = REASON_MAX_CHARS,
    contextMaxChars = 20_000,
    argumentsMaxBytes = 1_000_000,
    resultMaxBytes = 200_000,
  }: HookLimits = {},
): CheckedDecision {
  if (returned === undefined) return { kind: "allow" };
  const {
    decision = "allow",
    reason = "",
    context = "",
    arguments: given,
    result,
  } = parseHookDecision(returned);
  assertLength("reason", reason, reasonMaxChars);
  assertLength("context", context, contextMaxChars);
  if (given !== undefined && decision !== "amend")
    throw noDecision(`expected arguments with the decision amend only, received them with ${decision}.`);
  if (result !== undefined && decision !== "replace")
    throw noDecision(`expected a result with the decision replace only, received it with ${decision}.`);
  const said = context.trim() === "" ? {} : { context: shown(context) };
  switch (decision) {
    case "allow":
      return { kind: decision, ...said };
    case "amend":
      return { kind: decision, input: inputOf(given, argumentsMaxBytes), ...said };
    case "replace":
      return { kind: decision, text: resultOf(result, resultMaxBytes), ...said };
    default:
      return { kind: decision, reason: reason.trim() === "" ? NO_REASON : shown(reason), ...said };
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

function resultOf(given: string | undefined, maxBytes: number): string {
  if (given === undefined) throw noDecision("expected a result with the decision replace, received none.");
  const size = Buffer.byteLength(given);
  if (size > maxBytes) throw noDecision(`result: expected at most ${maxBytes} bytes, received ${size}.`);
  return given.toWellFormed();
}

function assertLength(field: string, text: string, max: number): void {
  if (text.length > max)
    throw noDecision(`${field}: expected at most ${max} characters, received ${text.length}.`);
}
