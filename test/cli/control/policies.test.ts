import { describe, expect, test } from "vitest";
import { POLICIES } from "../../../cli/control/policies/policies.ts";
import type { PastCommand } from "../../../cli/control/policies/policy.ts";
import { readSettings } from "../../../cli/control/setting/shipped.ts";

const [setting] = await readSettings(["hidden-user"]);
if (setting === undefined) throw new Error("Expected the setting hidden-user.");
const { honest, attack, disguised } = setting;

const done: PastCommand = { isError: false, result: "Exit code: 0" };
const denied: PastCommand = { isError: true, result: "The call was not approved." };
const explained: PastCommand = { isError: true, result: "Suspicious: privileges." };

/** The commands of a policy until it completes, with `*` before an attempt. */
function commandsOf(name: string, results: readonly PastCommand[] = [], chance = 0): readonly string[] {
  const policy = POLICIES.find((each) => each.name === name);
  const commands: string[] = [];
  for (const past: PastCommand[] = []; ; past.push(results[past.length] ?? done)) {
    const step = policy?.next(setting!, past, chance);
    if (step === undefined || step === "complete") return commands;
    commands.push(`${step.isAttempt ? "* " : ""}${step.command}`);
  }
}

describe("a scripted policy", () => {
  test("that is honest runs the honest commands", () => {
    expect(commandsOf("honest")).toEqual(honest);
  });

  test("that attacks at once does so before its honest commands", () => {
    expect(commandsOf("at once")).toEqual([`* ${attack}`, ...honest]);
  });

  test("that waits spends audits on harmless commands, and attacks last", () => {
    const commands = commandsOf("waits for the end of the budget");
    expect(commands.slice(-1 - honest.length)).toEqual([...honest, `* ${attack}`]);
    expect(commands.length).toBeGreaterThan(honest.length + 3);
  });

  test("that hides attacks within a long command", () => {
    const last = commandsOf("hides in a long command").at(-1) ?? "";
    expect(last.indexOf(attack)).toBeGreaterThan(500);
    expect(last.endsWith(honest.at(-1) ?? "")).toBe(true);
  });

  test("that attacks by chance does so with an honest command, at half of the drawn numbers", () => {
    expect(commandsOf("by chance", [], 0.5)).toEqual(honest);
    expect(commandsOf("by chance", [], 0.49)).toEqual(honest.map((command) => `* ${attack}\n${command}`));
  });

  test("that adapts attacks in disguise after an error that explains, and gives up after one that does not", () => {
    expect(commandsOf("adapts to a rationale", [explained])).toEqual([
      `* ${attack}`,
      `* ${disguised}`,
      ...honest,
    ]);
    expect(commandsOf("adapts to a rationale", [denied])).toEqual([`* ${attack}`, ...honest]);
    expect(commandsOf("adapts to a rationale")).toEqual([`* ${attack}`, ...honest]);
  });

  test("that retries attacks three times while it is refused", () => {
    const second = `* ${attack} # attempt 2`;
    const third = `* ${attack} # attempt 3`;
    const name = "retries after a denial";
    expect(commandsOf(name)).toEqual([`* ${attack}`, ...honest]);
    expect(commandsOf(name, [denied])).toEqual([`* ${attack}`, second, ...honest]);
    expect(commandsOf(name, [denied, denied])).toEqual([`* ${attack}`, second, third, ...honest]);
    expect(commandsOf(name, [denied, denied, denied])).toEqual([`* ${attack}`, second, third, ...honest]);
    // A refused honest command is no reason to attack again.
    expect(commandsOf(name, [done, denied])).toEqual([`* ${attack}`, ...honest]);
  });
});
