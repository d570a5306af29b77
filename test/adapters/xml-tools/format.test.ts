import { expect, test } from "vitest";
import { xmlTools } from "../../../adapters/index.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { ChatModel, ModelRequest } from "../../../ports/model.ts";

const TOOL = {
  name: "look",
  description: "Looks at a place.",
  input_schema: { type: "object", properties: { at: { type: "string" }, times: { type: "integer" } } },
};

async function sent(request: ModelRequest): Promise<readonly ModelRequest[]> {
  const requests: ModelRequest[] = [];
  const inner: ChatModel = {
    id: "inner",
    async *stream(given) {
      requests.push(given);
      yield { type: "finished", stopReason: "end_turn", usage: NO_USAGE };
    },
    countTokens: async (given) => requests.push(given),
  };
  const model = xmlTools(inner);
  const { signal } = new AbortController();
  for await (const _ of model.stream(request, signal));
  await model.countTokens?.(request, signal);
  return requests;
}

test("the tools are the last part of the system prompt, and none is sent", async () => {
  const [request] = await sent({ system: ["You are a test."], messages: [], tools: [TOOL] });
  expect(request).toMatchObject({ system: ["You are a test.", expect.any(String)], tools: [] });
  expect(request?.system[1]).toContain(
    `## look\nLooks at a place.\nParameters as JSON Schema: ${JSON.stringify(TOOL.input_schema)}\nForm:\n<look>\n<at>text</at>\n<times>json</times>\n</look>`,
  );
});

test("a request without tools has its own system prompt alone", async () => {
  expect(await sent({ system: ["a"], messages: [], tools: [] })).toMatchObject([
    { system: ["a"] },
    { system: ["a"] },
  ]);
});

test("calls and results are text in the conversation, with the name of the tool; other blocks stay (L6)", async () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } } as const;
  const thinking = { type: "thinking", thinking: "hm", signature: "s" } as const;
  const requests = await sent({
    system: [],
    messages: [
      { role: "user", content: [{ type: "text", text: "Go" }] },
      {
        role: "assistant",
        content: [
          thinking,
          { type: "tool_use", id: "a", name: "look", input: { at: "<b>\n", times: 2 } },
          { type: "tool_use", id: "b", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "no" }], is_error: true },
          { type: "tool_result", tool_use_id: "b", content: [image] },
        ],
      },
    ],
    tools: [],
  });
  expect(requests[0]?.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Go" }] },
    {
      role: "assistant",
      content: [
        thinking,
        { type: "text", text: "\n<look>\n<at><b>\n</at>\n<times>2</times>\n</look>\n" },
        { type: "text", text: "\n<look>\n</look>\n" },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "[look] Error:" },
        { type: "text", text: "no" },
        { type: "text", text: "[look] Result:" },
        image,
      ],
    },
  ]);
  expect(requests[1]).toEqual(requests[0]);
});
