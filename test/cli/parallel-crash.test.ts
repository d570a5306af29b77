import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parallelScript } from "../support/parallel-script.ts";
import { installed } from "./installed.ts";
import { openPseudoRun } from "./terminal/pseudo-run.ts";
import { hasPseudoTerminal } from "./terminal/pseudo-terminal.ts";

const box = installed();

const SCRIPT = parallelScript(["architect", "debug"], {
  tool: "write_to_file",
  call: (mode) => `{ tool: write_to_file, input: { path: ${mode}.md, content: "${mode}\\n" } }`,
});
const MODES = ["architect", "debug"];

test.skipIf(!hasPseudoTerminal)(
  "a person answers two subtasks that ask at once, and after SIGKILL between the answers the other one goes on (L16)",
  async () => {
    const settings = JSON.stringify({ version: 1, permissions: { allow: ["subtask"] } });
    const run = await openPseudoRun(box, SCRIPT, { config: { "settings.yaml": settings } });
    const { terminal, workspace } = run;
    const written = (mode = ""): boolean => existsSync(path.join(workspace, `${mode}.md`));
    let first = "";
    await terminal.sees((text) => {
      [, first = ""] = /^Subtask (\d): Create/.exec(text.at(-2) ?? "") ?? [];
      return first !== "";
    }, "a question about the file of a subtask");
    const second = first === "1" ? "2" : "1";
    await terminal.asks(`Subtask ${first}: Create ${MODES[Number(first) - 1]}.md (+1)?`);
    terminal.type("y\r");
    await terminal.shows(`== Subtask ${first} ended`);
    await terminal.asks(`Subtask ${second}: Create ${MODES[Number(second) - 1]}.md (+1)?`);
    expect(MODES.filter(written)).toEqual([MODES[Number(first) - 1]]);
    terminal.type("!echo $PPID > pid\r");
    await terminal.shows("The output goes to the model with your next message.");
    process.kill(Number(run.read("pid")), "SIGKILL");
    await terminal.code;

    const next = run.again(["--continue"]);
    await next.asks("Enter to resume");
    next.type("\r");
    await next.shows(`== Subtask ${second} resumed`);
    await next.shows(`== Subtask ${second} ended`);
    await next.asks("Type what is missing");
    expect(next.text.join("\n")).not.toContain(`== Subtask ${first} resumed`);
    // Its question was withdrawn with its process.
    expect(MODES.filter(written)).toEqual([MODES[Number(first) - 1]]);
    const [last = ""] = run.bodies().slice(-1);
    for (const mode of MODES) expect(last.split(`Done in ${mode}.`)).toHaveLength(2);
    next.type("y\r");
    expect(await next.code).toBe(0);
  },
);
