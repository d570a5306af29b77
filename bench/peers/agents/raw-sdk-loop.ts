import Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type PeerRun } from "../peer.ts";
import { untilAsked } from "./approval.ts";

type Block = Anthropic.TextBlockParam | Anthropic.ToolUseBlockParam;

export const agents: Agents = {
  run: (run) => loop(connect(run), run),
  // A tool that waits for a promise is all the approval that a loop needs.
  waiting: async (run) => {
    const client = connect(run);
    return () =>
      untilAsked((never) =>
        loop(client, { ...run, tools: run.tools.map((tool) => ({ ...tool, run: never })) }),
      );
  },
};

const connect = ({ url }: PeerRun): Anthropic =>
  new Anthropic({ apiKey: API_KEY, baseURL: url, logLevel: "off" });

async function loop(client: Anthropic, run: PeerRun): Promise<string> {
  const tools = run.tools.map(({ name, description, input }) => ({
    name,
    description,
    input_schema: { ...z.toJSONSchema(input), type: "object" as const },
  }));
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: run.prompt }];
  for (let request = 0; request < run.requestsMax; request += 1) {
    const content = await ask(client, { tools, messages }, run);
    messages.push({ role: "assistant", content });
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const block of content) {
      if (block.type !== "tool_use") continue;
      const tool = run.tools.find(({ name }) => name === block.name);
      if (tool === undefined) throw new Error(`The model called an unknown tool: ${block.name}.`);
      const text = await tool.run(tool.input.parse(block.input));
      results.push({ type: "tool_result", tool_use_id: block.id, content: text });
    }
    if (results.length === 0)
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({ role: "user", content: results });
  }
  throw new Error(`The model is not done after ${run.requestsMax} requests.`);
}

async function ask(
  client: Anthropic,
  params: { readonly tools: Anthropic.Tool[]; readonly messages: Anthropic.MessageParam[] },
  { onText, signal }: PeerRun,
): Promise<Block[]> {
  const content: Block[] = [];
  let text = "";
  let call: { readonly id: string; readonly name: string } | undefined;
  const body = { model: MODEL, max_tokens: 16_384, system: INSTRUCTIONS, ...params, stream: true } as const;
  for await (const event of await client.messages.create(body, { signal })) {
    if (event.type === "content_block_start") {
      text = "";
      call = event.content_block.type === "tool_use" ? event.content_block : undefined;
    } else if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
      text += event.delta.text;
      onText(event.delta.text);
    } else if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
      text += event.delta.partial_json;
    } else if (event.type === "content_block_stop") {
      content.push(
        call === undefined
          ? { type: "text", text }
          : { type: "tool_use", id: call.id, name: call.name, input: JSON.parse(text) },
      );
    }
  }
  return content;
}
