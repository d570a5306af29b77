import { Story } from "../scenario.ts";

/** The name of a trace, a sentence of the specification, and the life of a task that shows it. */
export type Scenario = readonly [name: string, title: string, tell: () => Story];

/** Calls as a model makes them, one of each kind. */
export const write = { name: "write_to_file" } as const;
export const read = { name: "read_file", effect: "reads", verdict: "allow" } as const;
export const list = { ...read, name: "list_files" } as const;
export const command = { name: "execute_command", ask: "command", effect: "executes" } as const;
export const question = { name: "ask_followup_question", ask: "followup", effect: "asks" } as const;
export const completion = { name: "attempt_completion", ask: "completion_result", effect: "asks" } as const;
export const subtask = { name: "new_task", effect: "delegates" } as const;
export const mcp = { name: "use_mcp_tool", ask: "use_mcp_server" } as const;

/** How far a task often is when a scenario begins. */
export const asked = (call: Parameters<Story["calls"]>[0], input = {}): Story =>
  new Story(input).begun().says("I see.").calls(call).finishes();
export const approved = (): Story => asked(write).answers("yes");
export const delegated = (): Story => asked(subtask).answers("yes");
export const completed = (): Story => asked(completion);
export const commandRuns = (): Story => asked(command).answers("yes").outputs("ok 1\n");
/** A command goes on beside the agent, which is asked for more. */
export const commandIsBeside = (): Story => commandRuns().answers("yes").prepared();
