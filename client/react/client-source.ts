import type { Answer } from "../../machines/message/asks.ts";
import type { ExtensionClient, SendResult } from "../roo/extension/extension-client.ts";
import type { WebviewMessage } from "../roo/extension/messages.ts";
import { type ActionResult, DONE, type TaskSource, takesPrompt, viewCache } from "./task-source.ts";

/**
 * The task that a client shows, over any transport, such as a webview's. An action is done when its message is sent;
 * a later refusal is the client's event `error`.
 */
export function clientSource(client: ExtensionClient): TaskSource {
  const view = viewCache();
  const send = async (message: WebviewMessage): Promise<ActionResult> =>
    resultOf(client.sendMessage(message));
  return {
    read: () => view(client.getMessages(), client.getQueue()),
    subscribe(listener) {
      const stops = (["stateChange", "queueChanged", "taskCleared"] as const).map((name) =>
        client.on(name, listener),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
    answer: (askId, answer) => send({ type: "askResponse", askId, ...responseOf(answer) }),
    async send(text, images) {
      const state = client.getAgentState();
      if (!takesPrompt(state)) return resultOf(client.queueMessage(text, images));
      return resultOf(
        state.state === "no_task" ? client.newTask(text, images) : client.respond(text, images),
      );
    },
    cancel: () => send({ type: "cancelTask" }),
  };
}

function resultOf(result: SendResult): ActionResult {
  if (result.sent) return DONE;
  const { code, message } = result.error;
  return { ok: false, code, message };
}

const RESPONSES = { yes: "yesButtonClicked", no: "noButtonClicked", text: "messageResponse" } as const;

function responseOf({ kind, ...rest }: Answer) {
  return { askResponse: RESPONSES[kind], ...rest };
}
