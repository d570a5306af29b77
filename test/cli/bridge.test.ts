import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { callsIn, DELIVERIES, openBridge, startedCallsIn } from "../support/bridge.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

const SCRIPT = `
- { tool: execute_command, input: { command: "echo one >> ran.txt" } }
- [{ text: I try. }, { tool: execute_command, input: { command: "echo attack >> ran.txt" } }]
- [{ text: My first try was rejected. }, { tool: execute_command, input: { command: "echo two >> ran.txt" } }]
- { tool: attempt_completion, input: { result: All done. } }
`;

describe("the built command under a bridge", () => {
  test.each(DELIVERIES)(
    "completes a task, runs the calls that it was shown, and records a journal without violations; responses come as %s",
    async (delivery) => {
      const mock = await startMock(parseScript(SCRIPT));
      onTestFinished(() => mock.close());
      const rejects = (response: object): boolean => JSON.stringify(response).includes("attack");
      const bridge = await openBridge({ endpoint: mock.url, delivery, rejects });
      const workspace = box.newFolder();
      const data = path.join(workspace, "data");
      const args = ["run", "-p", "--yes", "-w", workspace, "--data-dir", data, "Count"];
      const env = { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: bridge.url };
      const command = new Process(box.bin, args, { env });
      expect(await command.end()).toBe(0);
      expect(command.stdout).toContain("All done.");
      expect(readFileSync(path.join(workspace, "ran.txt"), "utf8")).toBe("one\ntwo\n");
      const [task = ""] = readdirSync(path.join(data, "tasks"));
      const dir = path.join(data, "tasks", task);
      expect(callsIn(bridge.rejected)).toHaveLength(1);
      expect(await startedCallsIn(dir)).toEqual(callsIn(bridge.seen));
      expect(readFileSync(path.join(dir, "journal.jsonl"), "utf8")).not.toContain("attack");
      const checked = await box.does("verify", "--log", dir);
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("no violations") });
    },
  );
});
