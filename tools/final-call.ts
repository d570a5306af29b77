import type { Arguments } from "../machines/tool-call/call.ts";
import type { AmendedPreparation, Tool } from "./tool.ts";

/** The call that runs: as the model sent it, or as a person amended it. */
export function finalCall(tool: Tool, { input, amendment }: Arguments): AmendedPreparation {
  const prepared = tool.prepare(input);
  if (!prepared.ok) return prepared;
  const { amend, ...call } = prepared.call;
  if (amendment === undefined) return { ok: true, call: { ...call, input } };
  return amend?.(amendment) ?? { ok: false, error: `This call of ${tool.name} takes no amendment.` };
}
