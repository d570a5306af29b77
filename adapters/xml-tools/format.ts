import type {
  AssistantBlock,
  Entry,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import type { ModelRequest, ModelTool } from "../../ports/model.ts";
import { parametersOf } from "./parameters.ts";

/** The request with its tools in the system prompt, and with calls and results as text. */
export function formatRequest({ system, messages, tools }: ModelRequest): ModelRequest {
  const names = new Map<string, string>();
  return {
    system: tools.length === 0 ? system : [...system, formatTools(tools)],
    messages: messages.map((entry) => formatEntry(entry, names)),
    tools: [],
  };
}

const RULES = `# Tools

You call a tool by this markup in your response, with the name of the tool and of its parameters as tags:

<tool_name>
<parameter_name>value</parameter_name>
</tool_name>

- A text is written as it is, from right after its opening tag to right before its closing tag: without escapes, quotes or additional line breaks. Any other value is JSON.
- Leave out a parameter that is optional and not needed. Write each parameter once, and nothing else between the tags.
- A response may have several calls. End it after the last one: the next message has their results.`;

const formatTools = (tools: readonly ModelTool[]): string => [RULES, ...tools.map(formatTool)].join("\n\n");

function formatTool(tool: ModelTool): string {
  const { name, description, input_schema: schema } = tool;
  const parameters = [...parametersOf(tool)].map(
    ([parameter, format]) => `<${parameter}>${format}</${parameter}>`,
  );
  return [
    `## ${name}`,
    description,
    `Parameters as JSON Schema: ${JSON.stringify(schema)}`,
    ["Form:", `<${name}>`, ...parameters, `</${name}>`].join("\n"),
  ].join("\n");
}

/** @param names of the calls so far, by their ids */
function formatEntry(entry: Entry, names: Map<string, string>): Entry {
  if (entry.role === "user")
    return { ...entry, content: entry.content.flatMap((block) => formatResult(block, names)) };
  for (const block of entry.content) if (block.type === "tool_use") names.set(block.id, block.name);
  return { ...entry, content: entry.content.map(formatCall) };
}

function formatCall(block: AssistantBlock): AssistantBlock {
  return block.type === "tool_use" ? { type: "text", text: callText(block) } : block;
}

function callText({ name, input }: ToolUseBlock): string {
  const values = Object.entries(input).map(
    ([key, value]) => `<${key}>${typeof value === "string" ? value : JSON.stringify(value)}</${key}>`,
  );
  return ["", `<${name}>`, ...values, `</${name}>`, ""].join("\n");
}

function formatResult(block: UserBlock, names: ReadonlyMap<string, string>): readonly UserBlock[] {
  return block.type === "tool_result" ? [heading(block, names), ...block.content] : [block];
}

const heading = (
  { tool_use_id: id, is_error: isError }: ToolResultBlock,
  names: ReadonlyMap<string, string>,
): TextBlock => ({
  type: "text",
  text: `[${names.get(id) ?? "unknown tool"}] ${isError === true ? "Error" : "Result"}:`,
});
