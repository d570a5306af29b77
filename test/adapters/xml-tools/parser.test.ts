import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { xmlTools } from "../../../adapters/index.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { StopReason } from "../../../machines/task/task.events.ts";
import type { ChatModel, ModelEvent, ModelTool } from "../../../ports/model.ts";

const schema = (properties: object) => ({ type: "object", properties });
const TOOLS: readonly ModelTool[] = [
  {
    name: "write",
    description: "Writes.",
    input_schema: schema({
      path: { type: "string" },
      content: { anyOf: [{ type: "string" }, { type: "null" }] },
      lines: { type: "array", items: { type: "number" } },
      force: { type: "boolean" },
      mode: { enum: ["a", "b"] },
    }),
  },
  { name: "look", description: "Looks.", input_schema: schema({}) },
];

interface Folded {
  readonly blocks: readonly string[];
  readonly stopReason: StopReason | undefined;
}

/** The blocks of a response: texts, thinking, and calls with their JSON. */
function fold(events: readonly ModelEvent[]): Folded {
  const blocks: string[] = [];
  let kind = "";
  let stopReason: StopReason | undefined;
  const add = (of: string, text: string): void => {
    if (text === "") return;
    if (kind === of) blocks.push((blocks.pop() ?? "") + text);
    else blocks.push(`${of}: ${text}`);
    kind = of;
  };
  for (const event of events) {
    if (event.type === "text.delta") add("text", event.text);
    if (event.type === "thinking.delta") add("thinking", event.text);
    if (event.type === "tool.start") blocks.push(`${event.id} ${event.name} `);
    if (event.type === "tool.start") kind = "call";
    if (event.type === "tool.delta") add("call", event.json);
    if (event.type === "block.end" || event.type === "thinking.end") kind = "";
    if (event.type === "finished") stopReason = event.stopReason;
  }
  return { blocks, stopReason };
}

async function eventsOf(
  parts: readonly (string | ModelEvent)[],
  end: StopReason = "end_turn",
  options = {},
): Promise<readonly ModelEvent[]> {
  const inner: ChatModel = {
    id: "inner",
    async *stream() {
      for (const part of parts) yield typeof part === "string" ? { type: "text.delta", text: part } : part;
      yield { type: "finished", stopReason: end, usage: NO_USAGE };
    },
  };
  const request = { system: [], messages: [], tools: TOOLS };
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of xmlTools(inner, options).stream(request, signal)) events.push(event);
  return events;
}

const read = async (text: string, end: StopReason = "end_turn"): Promise<Folded> =>
  fold(await eventsOf([text], end));

describe("markup is read as", () => {
  test.each<readonly [string, string, readonly string[]]>([
    ["a call after text", "I look.\n<look></look>", ["text: I look.\n", "xml_0_1 look {}"]],
    [
      "calls that follow each other",
      "<look>\n</look>\n<write>\n<path>a</path>\n</write>",
      ["xml_0_1 look {}", "text: \n", 'xml_0_2 write {"path":"a"}'],
    ],
    [
      "texts as they are, without escapes",
      '<write><path>a "b"</path><content>\n<p>&amp;\\n\t</p>\n</content></write>',
      ['xml_0_1 write {"path":"a \\"b\\"","content":"\\n<p>&amp;\\\\n\\t</p>\\n"}'],
    ],
    [
      "other values as JSON, with the order of the call",
      "<write><lines> [1, 2] </lines><force>true</force><mode>a</mode></write>",
      ['xml_0_1 write {"lines":[1, 2],"force":true,"mode":"a"}'],
    ],
    [
      "a string where a value is no JSON, so that its validation says so",
      "<write><lines>1, 2</lines></write>",
      ['xml_0_1 write {"lines":"1, 2"}'],
    ],
    [
      "a text that has closing tags of its own",
      "<write><content>a</content> <b> </content></b></content>\n</write>",
      ['xml_0_1 write {"content":"a</content> <b> </content></b>"}'],
    ],
    [
      "thinking at the start",
      "\n<think>Let me\n<look></think>Yes.",
      ["thinking: Let me\n<look>", "text: Yes."],
    ],
    ["thinking by its other tag", "<thinking>a</think></thinking>", ["thinking: a</think>"]],
  ])("%s", async (_, text, blocks) => {
    expect((await read(text)).blocks).toEqual(blocks);
  });

  test("the same JSON values as a native call has", async () => {
    const { blocks } = await read("<write><path>a\nb</path><lines>[1]</lines></write>");
    expect(JSON.parse(blocks[0]?.replace("xml_0_1 write ", "") ?? "")).toEqual({ path: "a\nb", lines: [1] });
  });
});

describe("text stays text:", () => {
  test.each([
    ["a tag of no tool", "a <b>c</b> <read_file><path>a</path></read_file>"],
    ["a tag of a tool without a call", "Use <look> and <write> <b>"],
    ["a parameter that the tool has not", "<write><other>a</other></write>"],
    ["more than 1,000 characters of white space in a tag's place", `<look>${" ".repeat(1_000)}</look>`],
    ["the start of a tag at the end", "a <loo"],
    ["the start of a call at the end", "a <write>\n<pat"],
    ["thinking that is not closed", "<think>a <look></look>"],
    ["thinking after text", "a <think>b</think>"],
  ])("%s", async (_, text) => {
    expect(await read(text)).toEqual({ blocks: [`text: ${text}`], stopReason: "end_turn" });
  });

  test("and is sent as soon as it can't be a tag", async () => {
    expect(await eventsOf(["a <", "l", "i>"])).toMatchObject([
      { type: "text.delta", text: "a " },
      { type: "text.delta", text: "" },
      { type: "text.delta", text: "<li>" },
      { type: "finished" },
    ]);
  });

  test("a text argument streams", async () => {
    const events = await eventsOf(["<write><path>a", "b", "c"]);
    expect(events.filter(({ type }) => type === "tool.delta")).toEqual([
      { type: "tool.delta", json: '{"path":"a' },
      { type: "tool.delta", json: "b" },
      { type: "tool.delta", json: "c" },
    ]);
  });
});

describe("the end of a response", () => {
  test.each<readonly [StopReason, StopReason]>([
    ["end_turn", "tool_use"],
    ["stop_sequence", "tool_use"],
    ["max_tokens", "max_tokens"],
    ["model_context_window_exceeded", "model_context_window_exceeded"],
  ])("%s after a call is %s", async (end, stopReason) => {
    expect((await read("<look></look>", end)).stopReason).toBe(stopReason);
  });

  test("cuts a call at each place before its closing tag, and its JSON is never whole (L7)", async () => {
    const call = '<write><lines>[{"a":1}]</lines><path>a"}</path><content>}</content></write>';
    for (let length = 0; length < call.length; length += 1) {
      const { blocks } = await read(call.slice(0, length), "max_tokens");
      for (const block of blocks.filter((each) => each.startsWith("xml")))
        expect(() => JSON.parse(block.replace("xml_0_1 write ", "")), block).toThrow(SyntaxError);
    }
  });

  test("of a block ends its markup: the next block is not part of it", async () => {
    const events = await eventsOf(["<write><path>a", { type: "block.end" }, "b</path></write>"]);
    expect(fold(events).blocks).toEqual(['xml_0_1 write {"path":"a', "text: b</path></write>"]);
  });

  test("L14: what is held back has a limit", async () => {
    const options = { heldMaxChars: 20 };
    await expect(eventsOf(["<think>", "a".repeat(21)], "end_turn", options)).rejects.toMatchObject({
      code: "answer_too_large",
    });
    await expect(eventsOf(["<write><lines>", "1".repeat(21)], "end_turn", options)).rejects.toMatchObject({
      code: "answer_too_large",
    });
    expect(fold(await eventsOf(["a<".repeat(99)], "end_turn", options)).blocks).toHaveLength(1);
  });
});

const PIECES =
  '<write> </write> <look> </look> <path> </path> <content> </content> <lines> </lines> [1] { " \\ <think> </think> <thinking> </thinking> < > \n a 👋'.split(
    " ",
  );

describe("any text", () => {
  property.prop([
    fc.array(fc.oneof(fc.constantFrom(...PIECES, " "), fc.string({ unit: "binary", maxLength: 3 })), {
      maxLength: 30,
    }),
    fc.array(fc.nat({ max: 12 }), { maxLength: 60 }),
  ])(
    "gives the same blocks in whatever chunks it comes, and loses none of its prose",
    async (pieces, sizes) => {
      const text = pieces.join("");
      const chunks: string[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      chunks.push(text.slice(at));
      const whole = await read(text);
      expect(fold(await eventsOf(chunks))).toEqual(whole);
      expect(fold(await eventsOf(text.split("")))).toEqual(whole);
      if (!whole.blocks.some((block) => /^(xml|thinking)/.test(block)))
        expect(whole.blocks).toEqual(text === "" ? [] : [`text: ${text}`]);
    },
  );
});
