import type { MonitoredAction } from "../../../control/runtime/action.ts";
import { emptyConversation } from "../../../machines/conversation/conversation.ts";

/** A command of the untrusted model, as a monitor sees it. */
export const action = (command: string, more: Partial<MonitoredAction> = {}): MonitoredAction => ({
  point: "call",
  author: "untrusted",
  digest: "d1",
  taskId: "t1",
  call: { tool: "execute_command", input: { command } },
  calls: [],
  conversation: emptyConversation,
  ...more,
});
