import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { OutputWriter } from "../../../../cli/show/output-writer.ts";
import { createStyle } from "../../../../cli/show/style.ts";
import { Prompt } from "../../../../cli/terminal/input/prompt.ts";
import { PromptHistory } from "../../../../cli/terminal/input/prompt-history.ts";
import { LiveScreen } from "../../../../cli/terminal/live/screen.ts";
import { PlainScreen } from "../../../../cli/terminal/plain-screen.ts";
import { FakeTerminal } from "../fake-terminal.ts";

const CTRL_R = "\x12";
const EARLIER = ["Fix the parser", "Test the lexer", "Fix the lexer", "Read it all"];

function open({ isPlain = false } = {}) {
  const terminal = new FakeTerminal();
  const { stdout } = terminal.io;
  const screen = isPlain
    ? new PlainScreen(new OutputWriter(stdout))
    : new LiveScreen(stdout, createStyle(new PassThrough(), {}), {
        status: () => "status",
        queued: () => [],
      });
  const history = new PromptHistory(undefined);
  for (const prompt of EARLIER) history.add(prompt);
  const heard: string[] = [];
  const prompt = new Prompt(
    terminal.io,
    screen,
    {
      line: (text, isAnswer) => heard.push(`${isAnswer ? "answer" : "message"}: ${text}`),
      interrupt: () => heard.push("interrupt"),
      escape: () => heard.push("escape") === 0,
      shiftTab: () => {},
      report: () => {},
      end: () => {},
    },
    history,
  );
  const row = (line: string) => terminal.sees((text) => text.some((each) => each.trimEnd() === line));
  return { terminal, prompt, heard, row };
}

describe("Ctrl-R", () => {
  test("finds the newest earlier input as its text is typed, and again the next older one", async () => {
    const { terminal, row } = open();
    await terminal.type(CTRL_R);
    await row("(reverse-i-search)`':");
    await terminal.type("fix");
    await row("(reverse-i-search)`fix': Fix the lexer");
    expect(terminal.cursor.column).toBe("(reverse-i-search)`fix': ".length);
    await terminal.type(CTRL_R);
    await row("(reverse-i-search)`fix': Fix the parser");
    await terminal.type(CTRL_R);
    await row("(failed reverse-i-search)`fix': Fix the parser");
    await terminal.type("\x7f\x7f\x7fLEX");
    await row("(reverse-i-search)`LEX': Fix the lexer");
    await terminal.type("?");
    await row("(failed reverse-i-search)`LEX?':");
  });

  test("puts what it found in the input with Enter, and sends it with another Enter only", async () => {
    const { terminal, row, heard } = open();
    await terminal.type(`${CTRL_R}test\r`);
    await row("> Test the lexer");
    expect(heard).toEqual([]);
    await terminal.type("\r");
    expect(heard).toEqual(["message: Test the lexer"]);
  });

  test("keeps what it found for a key that edits it", async () => {
    const { terminal, row } = open();
    await terminal.type(`${CTRL_R}parser\x01Now: `);
    await row("> Now: Fix the parser");
  });

  test.each(["\x1b", "\x07", "\x03"])(
    "is left with %j, which brings back the text that was typed and interrupts nothing",
    async (key) => {
      const { terminal, row, heard } = open();
      await terminal.type(`mine${CTRL_R}lex`);
      await row("(reverse-i-search)`lex': Fix the lexer");
      await terminal.type(key);
      await row("> mine");
      expect(heard).toEqual([]);
    },
  );

  test("shows a question that comes in the meantime once it is left, and its match is no answer to it (L7)", async () => {
    const { terminal, prompt, row, heard } = open();
    await terminal.type(`${CTRL_R}lexer`);
    prompt.ask("Run it? ");
    await terminal.type("\r");
    await row("> Fix the lexer");
    await terminal.type("\r");
    await row("Run it?");
    await terminal.type(`${CTRL_R}parser`);
    await row("(reverse-i-search)`parser': Fix the parser");
    await terminal.type("\x1b");
    await row("Run it?");
    expect(heard).toEqual(["message: Fix the lexer"]);
  });

  test("writes no escape on a plain screen", async () => {
    const { terminal, row, heard } = open({ isPlain: true });
    const before = terminal.bytes;
    await terminal.type(`${CTRL_R}lex`);
    await row("(reverse-i-search)`lex': Fix the lexer");
    await terminal.type("\r");
    await row("> Fix the lexer");
    await terminal.type("\r");
    expect(heard).toEqual(["message: Fix the lexer"]);
    expect(terminal.bytes.slice(before.length)).not.toContain("\x1b");
  });
});
