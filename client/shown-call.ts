import type { AskType } from "../machines/message/asks.ts";
import type { AskFacts } from "../runtime/task/ask.ts";
import { parseDescriptor } from "../wire/descriptor.ts";

/** The path and the diff of the call that an ask is about, as its message shows them. */
export function shownCall(ask: AskType, text: string): Pick<AskFacts, "paths" | "diff"> {
  const call = ask === "tool" ? parseDescriptor(text) : undefined;
  if (call === undefined) return {};
  const {
    tool,
    path,
    isOutsideWorkspace,
    diff = tool === "editedExistingFile" ? call.content : undefined,
  } = call;
  return {
    ...(path !== undefined && { paths: [{ path, inside: isOutsideWorkspace !== true }] }),
    ...(diff !== undefined && { diff }),
  };
}
