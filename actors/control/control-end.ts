import type { Ending } from "../../control/runtime/ending.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Controlled } from "../../machines/tool-call/control.ts";
import type { HookVerdict } from "../../machines/tool-call/hooks.ts";
import type { Requires } from "../environment.ts";
import { noDecision } from "../hooks/failure.ts";
import type { PointInput } from "../hooks/hook-inputs.ts";
import { type ControlledTask, controlCall, controlResult } from "./control-call.ts";

type Task = Omit<ControlledTask, "taskId" | "controller"> & Requires<"control">;

/** The end of the hooks of a point, after the protocol has decided about what they allowed. */
export interface ControlledEnd extends Pick<Ending, "verdict" | "texts"> {
  /** Absent: no protocol decided. */
  readonly control?: Controlled;
}

/**
 * Let the protocol of a task, if it has one, decide after the hooks of a call or a result. It sees what the hooks made of it;
 * what they deny or change, it does not decide about now. @throws ToolError `HOOK_INVALID` in a task whose protocol is missing
 */
export async function controlEnd(
  task: Task,
  input: ActorInputs["hook"],
  points: readonly PointInput[],
  hooked: HookVerdict,
): Promise<ControlledEnd> {
  const unchanged = { verdict: hooked, texts: [] };
  if (input.point === "beforeRequest" || input.control === undefined) return unchanged;
  if (task.control === undefined)
    throw noDecision("expected the protocol that controls the task, found none.");
  const controlled = { ...task, ...task.control };
  const { protocol } = controlled.controller;
  const [first] = points;
  const seen = first?.input;
  if (input.point === "beforeTool") {
    const isAllowed = hooked.kind === "allow" || hooked.kind === "ask";
    if (protocol.judgeCall === undefined || !isAllowed || seen?.point !== "beforeTool") return unchanged;
    const { callId, digest, tool, arguments: given } = seen;
    const { control, ...ending } = await controlCall(
      controlled,
      { callId, digest, tool, input: given },
      input.control,
    );
    return {
      control,
      texts: ending.texts,
      verdict: ending.verdict.kind === "allow" ? hooked : ending.verdict,
    };
  }
  const isSeen = hooked.kind === "allow" || hooked.kind === "replace";
  if (protocol.judgeResult === undefined || !isSeen || seen?.point !== "afterTool") return unchanged;
  const { callId, tool, arguments: given, result } = seen;
  const text = hooked.kind === "replace" ? hooked.text : result.text;
  const { control, texts, verdict } = await controlResult(
    controlled,
    { callId, tool, input: given },
    text,
    input.control,
  );
  return { control, texts, verdict: verdict.kind === "allow" ? hooked : joined(hooked, verdict) };
}

/** A replacement by the protocol after one by hooks. */
const joined = (hooked: HookVerdict, verdict: HookVerdict): HookVerdict =>
  hooked.kind === "replace" && verdict.kind === "replace"
    ? { ...verdict, hooks: [...hooked.hooks, ...verdict.hooks] }
    : verdict;
