import { PassThrough } from "node:stream";
import { describe, expect, it, test } from "vitest";
import { createStyle } from "../../../cli/show/style.ts";
import { formatStatusLine, type Status } from "../../../cli/terminal/status-line.ts";
import { AgentLoopState } from "../../../machines/message/states.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import { installed } from "../installed.ts";
import { openPseudoRun } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

const STATUS: Status = {
  state: AgentLoopState.STREAMING,
  mode: "code",
  permissionMode: "ask",
  model: "claude-sonnet-4-6",
  usage: { ...NO_USAGE, tokensIn: 1_200, tokensOut: 34, cost: 0.5 },
  todos: { done: 1, all: 3 },
  elapsedMs: 65_000,
  queued: 2,
  windowShare: 0.234,
  isCompacting: false,
};
const lineOf = (status: Partial<Status>, width = 200): string =>
  formatStatusLine({ ...STATUS, ...status }, width, createStyle(new PassThrough(), {}));

describe("the status line", () => {
  it("names the used share of the context window, and that the next request condenses the conversation", () => {
    expect(lineOf({})).toContain("23 % of context · ");
    expect(lineOf({ isCompacting: true })).toContain("23 % of context, condensing next");
    expect(lineOf({ windowShare: undefined, isCompacting: true })).toContain(" · condensing next · ");
    expect(lineOf({ windowShare: undefined })).not.toContain("context");
  });

  it("leaves out the least important parts first where it is too long", () => {
    expect(lineOf({})).toContain("claude-sonnet-4-6");
    expect(lineOf({}, 92)).not.toContain("claude-sonnet-4-6");
    expect(lineOf({}, 92)).toContain("23 % of context");
    expect(lineOf({}, 75)).toContain("23 % of context");
    expect(lineOf({}, 75)).not.toContain("1.2k in");
    expect(lineOf({}, 60)).toContain("23 % of context · $0.5000");
    expect(lineOf({}, 6)).toBe("stream");
  });
});

const box = installed();

describe.skipIf(!hasPseudoTerminal)("the status line of a resumed task", () => {
  const call = (tool: string, input: string): string => `{ tool: ${tool}, input: { ${input} } }`;
  const FILES = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
  const TURNS = [
    call("update_todo_list", `todos: "[x] one\\n[ ] two"`),
    call("new_task", "mode: ask, message: Look., todos: null"),
    ...FILES.map((file) => call("read_file", `path: ${file}`)),
    call("attempt_completion", "result: All done."),
  ];
  const SCRIPT = `rules:
  - { when: { conversation: 'Current mode\\s+ask\\b' }, turns: [${call("attempt_completion", "result: One done.")}] }
  - { turns: [${TURNS.join(", ")}] }`;

  test("has the plan, and the usage of its subtasks", async () => {
    const { terminal, taskIds } = await openPseudoRun(box, SCRIPT, {
      files: Object.fromEntries(FILES.map((file) => [file, "one\n"])),
      args: ["-y"],
      columns: 120,
    });
    const usage = () => /\d+\/\d+ done · .* in, .* out .*\$[\d.]+/.exec(terminal.text.at(-1) ?? "")?.[0];
    await terminal.asks("Type what is missing");
    const before = usage();
    expect(before).toContain("1/2 done");
    const [root = ""] = taskIds().toSorted((a, b) => a.length - b.length);
    await terminal.enter("/fork", "Forked ");
    await terminal.asks("Type what to do next");
    terminal.type(`/resume ${root}\r`);
    await terminal.shows("Leaving ");
    await terminal.asks("Type what to do next");
    await terminal.sees(() => usage() === before, `the usage ${before}`);
  });

  test("an interrupt is reported once, for the task and its subtask", async () => {
    const question = call("ask_followup_question", "question: Which?, follow_up: [{ text: left }]");
    const { terminal } = await openPseudoRun(
      box,
      `rules:
  - { when: { conversation: 'Current mode\\s+ask\\b' }, turns: [${question}] }
  - { turns: [${TURNS[1]}] }`,
      { args: ["-y"] },
    );
    await terminal.shows("Which?");
    terminal.type("\x03");
    await terminal.asks("Enter to resume");
    expect(terminal.text.filter((row) => row.includes("The task was interrupted."))).toHaveLength(1);
  });
});
