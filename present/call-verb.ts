import type { AskType } from "../machines/message/asks.ts";
import { parseDescriptor } from "../wire/descriptor.ts";

/** The verbs of a yes to a tool call, by the tool of its description. */
const TOOL_VERBS: ReadonlyMap<string, string> = new Map([
  ["readFile", "Read"],
  ["listFilesTopLevel", "List"],
  ["listFilesRecursive", "List"],
  ["searchFiles", "Search"],
  ["globFiles", "Search"],
  ["codebaseSearch", "Search"],
  ["newFileCreated", "Save"],
  ["editedExistingFile", "Save"],
  ["appliedDiff", "Save"],
  ["updateTodoList", "Update"],
  ["skill", "Read"],
  ["readArtifact", "Read"],
  ["webFetch", "Fetch"],
  ["commandOutput", "Read"],
  ["stopCommand", "Terminate"],
  ["newTask", "Start"],
  ["mergeSubtask", "Merge"],
  ["declineSubtask", "Remove"],
  ["waitForSubtasks", "Wait"],
  ["cancelSubtask", "Cancel"],
  ["messageSubtask", "Send"],
  ["subtaskState", "Read"],
  ["finishTask", "Finish"],
  ["switchMode", "Switch"],
  ["selectActiveIntent", "Select"],
  ["generateImage", "Generate"],
]);

/** The verbs of a yes to an action of the browser. */
const BROWSER_VERBS: ReadonlyMap<string, string> = new Map([
  ["launch", "Open"],
  ["click", "Click"],
  ["hover", "Hover"],
  ["type", "Type"],
  ["press", "Press"],
  ["scroll_down", "Scroll"],
  ["scroll_up", "Scroll"],
  ["resize", "Resize"],
  ["close", "Close"],
]);

/** The verb of the call that an ask is about: `Save`. Undefined where the kind of the ask names it, or nothing does. */
export function callVerb(ask: AskType, text: string): string | undefined {
  if (ask !== "tool" && ask !== "browser_action_launch") return undefined;
  const { tool, action = "" } = parseDescriptor(text) ?? {};
  if (tool === undefined) return undefined;
  return tool === "browserAction" ? BROWSER_VERBS.get(action) : TOOL_VERBS.get(tool);
}
