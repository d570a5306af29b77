import { expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../../adapters/anthropic/model.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import { attempt, hello, last } from "../../actors/llm/attempt.ts";

const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "signalbox" } };
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", url: "https://a.example", title: "A", encrypted_content: "e" }],
};
const citation = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "A",
  encrypted_index: "i",
  cited_text: "a runtime",
};
const answer = { text: "Signalbox is a runtime.", citations: [citation] };

const Sent = z.object({ messages: z.array(z.object({ content: z.array(z.looseObject({})) })) });

test.each([
  ["in one response", [[{ block: use }, { block: found }, answer]]],
  ["with a pause before its result", [[{ block: use }], [{ block: found }, answer]]],
])("a web search %s is sent back as it came", async (_, turns) => {
  const mock = await startMock(parseScript(JSON.stringify([...turns, { text: "Next." }])));
  try {
    const serverTools = [{ type: "web_search_20250305", name: "web_search" }] as const;
    const model = anthropic({ model: "m", apiKey: "key", baseURL: mock.url, serverTools });
    let history: readonly Entry[] = hello;
    for (const _turn of turns) {
      const end = last(await attempt({ model }, undefined, history));
      if (end.type !== "llm.finished") throw new Error(`expected a response, got ${end.type}`);
      history = [...history, { role: "assistant", content: end.content }];
    }
    const end = last(await attempt({ model }, undefined, [...history, ...hello]));
    expect(end).toMatchObject({ type: "llm.finished", content: [{ text: "Next." }] });
    const { messages } = Sent.parse(mock.requests.at(-1)?.body);
    expect(messages.slice(1, -1).flatMap(({ content }) => content)).toEqual([
      use,
      found,
      { type: "text", ...answer },
    ]);
  } finally {
    await mock.close();
  }
});
