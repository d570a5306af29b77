import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { openPseudoRun, type PseudoRunOptions } from "./pseudo-run.ts";
import { hasPseudoTerminal } from "./pseudo-terminal.ts";

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
    ...options
  }: { turns?: string[]; variable?: string } & PseudoRunOptions = {},
) {
  const temporary = box.newFolder();
  const run = await openPseudoRun(box, `[${turns.join(", ")}]`, {
    ...options,
    files: { "editor.cjs": `${NOTES}${script}`, "src/b.txt": "", ...options.files },
    env: { TMPDIR: temporary, [variable]: `${process.execPath} editor.cjs --wait` },
  });
  const opened = () =>
    run
      .read("editor.log")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  const left = () => readdirSync(temporary).filter((name) => name.startsWith("signalbox-text-"));
  return { ...run, opened, left, file: () => run.read("src/a.txt") };
}

const OFFER = "/e(dit)/q, or type";
const EDITED = "Allow it as edited? y, e: edit again, anything else: back to the proposal:";

describe.skipIf(!hasPseudoTerminal)("e at the approval of an edit", () => {
  test.each(["EDITOR", "VISUAL"])(
    "opens $%s on the proposed content, and the file gets the edited one",
    async (variable) => {
      const { terminal, opened, left, file, bodies } = await open('writeFileSync(file, "one\\nTWO\\n");', {
        variable,
      });
      await terminal.shows(OFFER);
      terminal.type("e\r");
      await terminal.shows("-two");
      await terminal.shows("+TWO");
      await terminal.shows(EDITED);
      expect(opened()).toEqual([
        {
          file: expect.stringMatching(/signalbox-text-.*\/a\.txt$/),
          mode: "600",
          text: "one\ntwo\n",
          tty: true,
        },
      ]);
      expect(left()).toEqual([]);
      terminal.type("y\r");
      await terminal.shows("> Edited by you: src/a.txt");
      await terminal.shows("Type what is missing");
      expect(file()).toBe("one\nTWO\n");
      expect(bodies().at(-1)).toContain("user_edits");
      terminal.type("y\r");
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
    // The edit is not lost.
    terminal.type("e\r");
    await terminal.shows(EDITED, 3);
    expect(opened()).toMatchObject([{}, {}, { text: "one\ntwo\nmore\nmore\n" }]);
    terminal.type("n\r");
    await terminal.shows(OFFER, 3);
    terminal.type("y\r");
    await terminal.shows("Type what is missing");
    expect(file()).toBe("one\ntwo\n");
  });

  test.each([
    ["changes nothing", "", "Nothing was changed."],
    ["fails", "process.exit(3);", "failed: exit code 3. The text is as it was."],
    ["leaves no UTF-8", "writeFileSync(file, Buffer.from([0xff]));", "the edited text is not UTF-8"],
    [
      "writes too much",
      'writeFileSync(file, "x".repeat(1_000_001));',
      "has 1000001 bytes: expected at most 1000000",
    ],
    ["removes the file", 'require("node:fs").rmSync(file);', "ENOENT"],
  ])("an editor that %s leaves the question", async (_, script, hint) => {
    const { terminal, left, file } = await open(script);
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(hint);
    await terminal.shows(OFFER, 2);
    expect(left()).toEqual([]);
    terminal.type("y\r");
    await terminal.shows("Type what is missing");
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
    await terminal.shows("Type what is missing");
    expect(file()).toBe("after the interrupt\n");
  });

  test("a file that changed while it was edited is not overwritten, and the reason is shown", async () => {
    const { terminal, file } = await open(
      'writeFileSync("src/a.txt", "of another\\n"); writeFileSync(file, "edited\\n");',
    );
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(EDITED);
    terminal.type("y\r");
    await terminal.shows("'src/a.txt' has changed since this call was sent");
    expect(file()).toBe("of another\n");
  });
});

describe.skipIf(!hasPseudoTerminal)("e at the approval of a todo list", () => {
  test("opens it as markdown, and the model gets the edited list", async () => {
    const { terminal, opened, bodies } = await open('writeFileSync(file, "[x] one\\n[ ] two\\n");', {
      turns: [TODOS, DONE],
      files: {
        ".signalbox/settings.yaml": "version: 1\npermissions:\n  ask:\n    - tool(update_todo_list)\n",
      },
    });
    await terminal.shows(OFFER);
    terminal.type("e\r");
    await terminal.shows(EDITED);
    terminal.type("y\r");
    await terminal.shows("> Edited by you: the todo list");
    await terminal.shows("Type what is missing");
    expect(opened()).toMatchObject([{ file: expect.stringMatching(/todos\.md$/), text: "[ ] one" }]);
    expect(bodies().at(-1)).toContain("User edits todo:");
  });
});

describe.skipIf(!hasPseudoTerminal)("e at the approval of a read of several files", () => {
  const READ = "{ tool: read_file, input: { files: [{ path: src/b.txt }, { path: 'src/#c.txt' }] } }";
  const files = {
    "src/b.txt": "content of b\n",
    "src/#c.txt": "content of c\n",
    ".signalbox/settings.yaml": "version: 1\npermissions:\n  ask:\n    - tool(read_file)\n",
  };

  test("opens the list of its files, and a file whose line is deleted is not read", async () => {
    const { terminal, opened, bodies } = await open(
      'writeFileSync(file, readFileSync(file, "utf8").replace("src/b.txt\\n", ""));',
      { turns: [READ, DONE], files },
    );
    await terminal.shows(OFFER);
    await terminal.enter("e", EDITED);
    await terminal.shows("src/b.txt  (not read)");
    expect(opened()).toMatchObject([
      { text: "# Delete the line of each file that may not be read.\nsrc/b.txt\nsrc/#c.txt\n" },
    ]);
    await terminal.enter("y", "Type what is missing");
    expect(bodies().at(-1)).toContain("content of c");
    expect(bodies().at(-1)).not.toContain("content of b");
    expect(bodies().at(-1)).toContain("Denied by user");
  });

  test("a line that names none of its files leaves the question", async () => {
    const { terminal } = await open('writeFileSync(file, "src/other.txt\\n");', {
      turns: [READ, DONE],
      files,
    });
    await terminal.shows(OFFER);
    await terminal.enter("e", "The call does not read 'src/other.txt'");
    await terminal.shows(OFFER, 2);
  });
});
