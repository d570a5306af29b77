import type { ProposedCall } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { ModelTool } from "../../ports/model.ts";
import type { Tool } from "../../tools/tool.ts";

/** The tools that the trusted model may call: to edit a call, the tool of this call alone. */
export function offeredTools(
  action: MonitoredAction,
  from: "scratch" | "edit",
  given: readonly Tool[] | undefined,
): readonly ModelTool[] {
  const tools = given?.map(offered) ?? calledTools(action);
  const { call } = action;
  if (from === "scratch" || call === undefined) return tools;
  const edited = tools.filter(({ name }) => name === call.tool);
  return edited.length > 0 ? edited : [toolOf(call.tool, [call])];
}

const offered = ({ name, description, inputSchema }: Tool): ModelTool => ({
  name,
  description,
  input_schema: inputSchema,
});

/** The tools of all calls so far, as their calls show them. */
function calledTools({ calls, call, conversation }: MonitoredAction): readonly ModelTool[] {
  const earlier = conversation
    .toArray()
    .flatMap(({ content }): ProposedCall[] =>
      content.flatMap((block) =>
        block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : [],
      ),
    );
  const all = [...earlier, ...calls, ...(call === undefined ? [] : [call])];
  const names = [...new Set(all.map(({ tool }) => tool))];
  return names.map((name) =>
    toolOf(
      name,
      all.filter(({ tool }) => tool === name),
    ),
  );
}

/** A tool whose schema has the names of the arguments that its calls have. */
const toolOf = (name: string, calls: readonly ProposedCall[]): ModelTool => ({
  name,
  description: "A tool of the task. Its calls so far show its arguments.",
  input_schema: {
    type: "object",
    properties: Object.fromEntries(calls.flatMap(({ input }) => Object.keys(input)).map((key) => [key, {}])),
  },
});
