import { Scenario } from "../scenario.ts";

/** The name of a scenario, the specified behavior, and the run that shows it. */
export type NamedScenario = readonly [name: string, title: string, create: () => Scenario];

/** One tool call of each kind. */
export const write = { name: "write_to_file" } as const;
export const read = { name: "read_file", effect: "reads", verdict: "allow" } as const;
export const list = { ...read, name: "list_files" } as const;
export const command = { name: "execute_command", ask: "command", effect: "executes" } as const;
export const question = { name: "ask_followup_question", ask: "followup", effect: "asks" } as const;
export const completion = { name: "attempt_completion", ask: "completion_result", effect: "asks" } as const;
export const subtask = { name: "new_task", effect: "delegates" } as const;
export const mcp = { name: "use_mcp_tool", ask: "use_mcp_server" } as const;

/** Common first events of scenarios. */
export const asked = (call: Parameters<Scenario["calls"]>[0], input = {}): Scenario =>
  new Scenario(input).begun().says("I see.").calls(call).finishes();
export const approved = (): Scenario => asked(write).answers("yes");
export const delegated = (): Scenario => asked(subtask).answers("yes");
export const completed = (): Scenario => asked(completion);
export const commandRuns = (): Scenario => asked(command).answers("yes").outputs("ok 1\n");
/** A command runs in the background, and the next request is prepared. */
export const commandInBackground = (): Scenario => commandRuns().answers("yes").prepared();
