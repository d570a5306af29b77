import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { UserBlock } from "../../machines/conversation/entry.ts";
import { isHookText } from "../../machines/conversation/notices.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { HookText } from "../../machines/tool-call/hooks.ts";
import type { HookedResult, HookInput } from "../../tools/hook.ts";
import { cutMiddle } from "../../tools/text.ts";
import { type HookedTask, hookedCall } from "./hooked-call.ts";

/** Maximum bytes of a text in the input of a hook; its middle is cut with a mark. */
const TEXT_MAX_BYTES = 100_000;
/** Maximum bytes of a result in the input of a hook. A tool's result is shorter: a hook that replaces it sees all of it. */
const RESULT_MAX_BYTES = 250_000;

/** The input of the hooks at one point, and the hooks that get it. */
export interface PointInput {
  readonly input: HookInput;
  /** The call, for the hooks of some tools. Absent: all see it. */
  readonly call?: Awaited<ReturnType<typeof hookedCall>>;
}

/** The input of each point at which the actor runs hooks, in order. @throws ToolError `HOOK_INVALID` */
export async function hookInputs(
  hooked: HookedTask,
  given: ActorInputs["hook"],
): Promise<readonly PointInput[]> {
  const task = { taskId: hooked.id, workspace: hooked.workspace.root };
  const { mode } = given;
  if (given.point === "beforeRequest")
    return [{ input: { ...task, point: given.point, mode, text: newestUserText(given.conversation) } }];
  const call = await hookedCall(hooked, given);
  const { callId, effect } = given;
  const shared = { ...task, mode, callId, tool: call.tool, effect, arguments: call.arguments };
  if (given.point === "beforeTool")
    return [{ call, input: { ...shared, point: given.point, digest: given.digest } }];
  const result: HookedResult = {
    kind: given.outcome.kind,
    text: textOf(given.outcome.content, RESULT_MAX_BYTES),
  };
  const ended: PointInput = { call, input: { ...shared, point: "afterTool", result } };
  if (effect !== "writes" || given.outcome.kind !== "done") return [ended];
  return [ended, { call, input: { ...shared, point: "afterWrite", result, paths: call.paths } }];
}

const newestUserText = (conversation: Conversation): string =>
  textOf(
    newestUserBlocks(conversation).flatMap((block) =>
      block.type === "tool_result" ? block.content : [block],
    ),
  );

function newestUserBlocks(conversation: Conversation): readonly UserBlock[] {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation.at(index);
    if (entry?.role === "user") return entry.content;
  }
  return [];
}

/** The texts of hooks that have added none to the request: a request that is sent again keeps its earlier texts, at its end. */
export function newTexts(given: ActorInputs["hook"], texts: readonly HookText[]): readonly HookText[] {
  if (given.point !== "beforeRequest") return texts;
  const blocks = newestUserBlocks(given.conversation).map((block) =>
    block.type === "text" ? block.text : "",
  );
  const present = blocks.slice(blocks.findLastIndex((text) => !isHookText(text)) + 1);
  return texts.filter(({ hook }) => !present.some((text) => isHookText(text, hook)));
}

const textOf = (
  blocks: readonly { readonly type: string; readonly text?: string }[],
  maxBytes = TEXT_MAX_BYTES,
): string => cutMiddle(blocks.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n"), maxBytes);
