import { describe, expect, it } from "vitest";
import { readsAllowed, type SimulatedPolicy, verdictOf } from "../../../verify/simulation/policy.ts";
import { SIMULATED_TOOLS } from "../../../verify/simulation/script.ts";

const toolNamed = (name: string) => {
  const tool = SIMULATED_TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
};

describe("a policy of a simulation (L7)", () => {
  it.each([
    ["read_file", { text: "read_file", paths: [] }],
    ["execute_command", { text: "execute_command", paths: [], command: "make" }],
  ])(
    "is called for %s with the tool, its arguments, the workspace and the effect, like a host's",
    (name, description) => {
      const asked: unknown[] = [];
      const policy: SimulatedPolicy = (...facts) => {
        asked.push(facts);
        return { kind: "allow", rule: "mine" };
      };
      const input = { path: "f1" };
      expect(verdictOf(policy, toolNamed(name), input)).toEqual({ kind: "allow", rule: "mine" });
      expect(asked).toEqual([
        [
          { tool: toolNamed(name), input },
          { workspace: "/simulated", description },
        ],
      ]);
    },
  );

  it("allows reads and asks about other effects", () => {
    const verdicts = SIMULATED_TOOLS.map((tool) => `${tool.name} ${verdictOf(readsAllowed, tool, {}).kind}`);
    expect(verdicts).toEqual([
      "read_file allow",
      "write_to_file ask",
      "execute_command ask",
      "use_mcp_tool ask",
      "new_task ask",
      "ask_followup_question ask",
      "attempt_completion ask",
    ]);
  });
});
