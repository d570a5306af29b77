import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import type { ProposedCall } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { PersistentList } from "../../machines/list/list.ts";
import type { ChatModel } from "../../ports/model.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import type { MockOptions } from "../../testing/mock/server/record.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";

/** A model on a mock server of its own. */
export interface ServedModel extends AsyncDisposable {
  readonly model: ChatModel;
  readonly mock: MockServer;
  /** The text of the user in each request, oldest first. */
  texts(): readonly string[];
}

/** The part of the body of a request that the tests of monitors read. */
export const requestSchema = z.object({
  messages: z.array(z.object({ content: z.array(z.object({ text: z.string().optional() })) })),
  tools: z.array(z.object({ name: z.string(), input_schema: z.looseObject({}) })).default([]),
});

/** Start a mock server with a script, and a model that it serves. */
export async function serveModel(script: string, options?: MockOptions): Promise<ServedModel> {
  const mock = await startMock(parseScript(script), options);
  return {
    mock,
    model: anthropic({ model: "claude-haiku-4-5", apiKey: "mock", baseURL: mock.url }),
    texts: () => mock.requests.map(({ body }) => userText(body)),
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

function userText(body: unknown): string {
  const { messages } = requestSchema.parse(body);
  return messages.flatMap(({ content }) => content.map(({ text = "" }) => text)).join("\n");
}

/** A call before it runs, as the only one of its response. */
export function actionOf(call: ProposedCall, { before = [], ...more }: ActionParts = {}): MonitoredAction {
  const response: Entry = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "I plan.", signature: "s" },
      { type: "text", text: "I do it now." },
      { type: "tool_use", id: "t1", name: call.tool, input: call.input },
    ],
  };
  const task: Entry = { role: "user", content: [{ type: "text", text: "Fix the parser." }] };
  return {
    point: "call",
    author: "untrusted",
    digest: "d1",
    taskId: "t1",
    call,
    calls: [call],
    conversation: PersistentList.from([task, ...before, response]),
    ...more,
  };
}

/** A response with one call, before anything of it is shown. */
export function responseOf(call: ProposedCall, more: ActionParts = {}): MonitoredAction {
  const { call: _, conversation, ...action } = actionOf(call, { point: "response", ...more });
  return { ...action, conversation: conversation.truncate(conversation.length - 1) };
}

interface ActionParts extends Partial<MonitoredAction> {
  /** The entries between the task and the response. */
  readonly before?: readonly Entry[];
}

/** The scope of a decision that nothing ends. */
export const unlimited = { signal: new AbortController().signal };
