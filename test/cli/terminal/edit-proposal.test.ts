import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseScript, startMock } from "../../../testing/mock/index.ts";
import { installed } from "../installed.ts";
import { hasPseudoTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const box = installed();

const WRITE = `{ tool: write_to_file, input: { path: src/a.txt, content: "one\\ntwo\\n" } }`;
const TODOS = `{ tool: update_todo_list, input: { todos: "[ ] one" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

/** The start of each script of an editor: it writes down what it was opened on, and sees that it has the terminal. */
const NOTES = `
const { statSync, readFileSync, writeFileSync, appendFileSync, existsSync } = require("node:fs");
const file = process.argv.at(-1);
const mode = (statSync(file).mode & 0o777).toString(8);
appendFileSync("editor.log", JSON.stringify({ file, mode, text: readFileSync(file, "utf8"), tty: process.stdin.isTTY }) + "\\n");
`;

/** A run on a pseudo-terminal, whose editor is this script. */
async function open(
  script: string,
  {
    turns = [WRITE, DONE],
    variable = "EDITOR",
    settings = "",
  }: { turns?: string[]; variable?: string; settings?: string } = {},
) {
  const workspace = box.newFolder();
  const temporary = box.newFolder();
  mkdirSync(path.join(workspace, "src"));
  writeFileSync(path.join(workspace, "editor.cjs"), `${NOTES}${script}`);
  if (settings !== "") {
    mkdirSync(path.join(workspace, ".signalbox"));
    writeFileSync(path.join(workspace, ".signalbox/settings.yaml"), settings);
  }
  const mock = await startMock(parseScript(`[${turns.join(", ")}]`));
  const where = ["--base-url", mock.url, "--data-dir", path.join(workspace, "data")];
  const terminal = new PseudoTerminal(box.bin, ["run", ...where, "Go"], {
    cwd: workspace,
    env: {
      XDG_CONFIG_HOME: box.newFolder(),
      TMPDIR: temporary,
      ANTHROPIC_API_KEY: "sk-test-0123456789",
      [variable]: `${process.execPath} editor.cjs --wait`,
    },
  });
  onTestFinished(async () => {
    terminal.hangUp();
    await terminal.code;
    await mock.close();
  });
  const opened = () =>
    readFileSync(path.join(workspace, "editor.log"), "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  const left = () => readdirSync(temporary).filter((name) => name.startsWith("signalbox-edit-"));
  const file = (): string => readFileSync(path.join(workspace, "src/a.txt"), "utf8");
  return { terminal, opened, left, file, mock, workspace };
}

const OFFER = "/e(dit)/q, or type";
const EDITED = "Allow it as edited? y, e: edit again, anything else: back to the proposal:";

describe.skipIf(!hasPseudoTerminal)("e at the approval of an edit", () => {
  test.each(["EDITOR", "VISUAL"])(
    "opens $%s on the proposed content, and the file gets the edited one",
    async (variable) => {
      const { terminal, opened, left, file, mock } = await open('writeFileSync(file, "one\\nTWO\\n");', {
        variable,
      });
      await terminal.shows(OFFER);
      terminal.type("e\r");
      await terminal.shows("+TWO");
      await terminal.shows(EDITED);
      expect(opened()).toEqual([
        {
          file: expect.stringMatching(/signalbox-edit-.*\/a\.txt$/),
          mode: "600",
          text: "one\ntwo\n",
          tty: true,
        },
      ]);
      expect(left()).toEqual([]);
      terminal.type("y\r");
      await terminal.shows("> Edited by you: src/a.txt");
      await terminal.shows("Enter to accept");
      expect(file()).toBe("one\nTWO\n");
      expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("user_edits");
      terminal.type("\r");
      expect(await terminal.code).toBe(0);
    },
  );

  test("again opens the edited content; anything else goes back to the proposal, which runs as it is", async () => {
    const { terminal, opened, file } = await open(
      'writeFileSync(file, readFileSync(file, "utf8") + "more\\n");',
    );
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(EDITED);
    terminal.type("e\r");
    await terminal.shows(EDITED, 2);
    expect(opened()).toMatchObject([{ text: "one\ntwo\n" }, { text: "one\ntwo\nmore\n" }]);
    terminal.type("n\r");
    await terminal.shows(OFFER, 2);
    terminal.type("y\r");
    await terminal.shows("Enter to accept");
    expect(file()).toBe("one\ntwo\n");
  });

  test.each([
    ["changes nothing", "", "nothing was changed"],
    ["fails", "process.exit(3);", "ended with code 3"],
    ["leaves no UTF-8", "writeFileSync(file, Buffer.from([0xff]));", "The proposal stays as it was"],
    ["writes too much", 'writeFileSync(file, "x".repeat(1_000_001));', "at most 1000000 are taken"],
    ["removes the file", 'require("node:fs").rmSync(file);', "The proposal stays as it was"],
  ])("an editor that %s leaves the question", async (_, script, hint) => {
    const { terminal, left, file } = await open(script);
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(hint);
    await terminal.shows(OFFER, 2);
    expect(left()).toEqual([]);
    terminal.type("y\r");
    await terminal.shows("Enter to accept");
    expect(file()).toBe("one\ntwo\n");
  });

  test("an interrupt while the editor is open is for the editor", async () => {
    const { terminal, file } = await open(
      'process.once("SIGINT", () => { writeFileSync(file, "after the interrupt\\n"); process.exit(0); }); setInterval(() => {}, 1e9); process.stdout.write("editing\\n");',
    );
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows("editing");
    terminal.type("\x03");
    await terminal.shows(EDITED);
    terminal.type("y\r");
    await terminal.shows("Enter to accept");
    expect(file()).toBe("after the interrupt\n");
  });

  test("a file that changed while it was edited is not overwritten, and the person is told", async () => {
    const { terminal, file } = await open(
      'writeFileSync("src/a.txt", "of another\\n"); writeFileSync(file, "edited\\n");',
    );
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(EDITED);
    terminal.type("y\r");
    await terminal.shows("'src/a.txt' changed after it was proposed");
    expect(file()).toBe("of another\n");
  });
});

describe.skipIf(!hasPseudoTerminal)("e at the approval of a todo list", () => {
  test("opens it as markdown, and the model gets the edited list", async () => {
    const { terminal, opened, mock } = await open('writeFileSync(file, "[x] one\\n[ ] two\\n");', {
      turns: [TODOS, DONE],
      settings: "version: 1\npermissions:\n  ask:\n    - tool(update_todo_list)\n",
    });
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(EDITED);
    terminal.type("y\r");
    await terminal.shows("> Edited by you: the todo list");
    await terminal.shows("Enter to accept");
    expect(opened()).toMatchObject([{ file: expect.stringMatching(/todos\.md$/), text: "[ ] one" }]);
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("User edits todo:");
  });
});
