import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import type { Io } from "../../../cli/io.ts";
import { OutputWriter } from "../../../cli/show/output-writer.ts";
import type { LineListener } from "../../../cli/terminal/input/line-source.ts";
import { Prompt } from "../../../cli/terminal/input/prompt.ts";
import { PromptHistory } from "../../../cli/terminal/input/prompt-history.ts";
import { PlainScreen } from "../../../cli/terminal/plain-screen.ts";

/** A terminal of 80 columns: what is typed into it, and what it shows. */
class FakeTerminal {
  readonly heard: string[] = [];
  readonly writer: OutputWriter;
  readonly lines: Prompt;
  readonly #stdin = Object.assign(new PassThrough(), { isTTY: true });
  readonly #stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });

  constructor() {
    const io: Io = {
      stdin: this.#stdin,
      stdout: this.#stdout,
      stderr: new PassThrough(),
      env: { TERM: "dumb" },
      on: () => {},
      off: () => {},
    };
    this.writer = new OutputWriter(this.#stdout);
    const listener: LineListener = {
      line: (text, isAnswer) => this.heard.push(`${isAnswer ? "answer" : "words"}: ${text}`),
      interrupt: () => this.heard.push("interrupt"),
      escape: () => this.heard.push("escape") === 0,
      shiftTab: () => this.heard.push("shift tab"),
      report: (problem) => this.heard.push(`problem: ${problem}`),
      end: () => this.heard.push("end"),
    };
    this.lines = new Prompt(io, new PlainScreen(this.writer), listener, new PromptHistory(undefined));
  }

  async type(keys: string): Promise<void> {
    const read = once(this.#stdin, "data");
    this.#stdin.write(keys);
    await read;
    // Readline hears the keys after the listeners of the data.
    await new Promise(setImmediate);
  }

  /** What it has shown since this was last asked. */
  shown(): string {
    return String(this.#stdout.read() ?? "");
  }
}

const open: FakeTerminal[] = [];
const terminal = (): FakeTerminal => {
  const made = new FakeTerminal();
  open.push(made);
  return made;
};
afterEach(() => {
  for (const { lines } of open.splice(0)) lines.close();
});

describe("while a line is typed", () => {
  test("output of the task waits until the line has ended", async () => {
    const { type, shown, writer, heard } = bound(terminal());
    writer.write("streamed ");
    await type("he");
    writer.write("text");
    expect(shown()).toBe("streamed \n> he");
    await type("y\r");
    expect(shown()).toBe("y\ntext");
    expect(heard).toEqual(["words: hey"]);
  });

  test("a question that comes in the meantime is shown after it, and the line does not answer it (L7)", async () => {
    const { type, shown, lines, heard } = bound(terminal());
    await type("ye");
    lines.ask("Run it? ");
    expect(shown()).not.toContain("Run it?");
    await type("s\r");
    expect(heard).toEqual(["words: yes"]);
    expect(shown()).toContain("Run it? ");
    await type("y\r");
    expect(heard).toEqual(["words: yes", "answer: y"]);
  });

  test("a deleted line lets the output continue", async () => {
    const { type, shown, writer } = bound(terminal());
    await type("x");
    writer.write("text");
    await type("\x7f");
    expect(shown()).toMatch(/text$/);
  });

  test("an interrupt drops the line", async () => {
    const { type, lines, heard } = bound(terminal());
    await type("rm everything");
    lines.ask("Enter to resume: ");
    await type("\x03");
    await type("\r");
    expect(heard).toEqual(["interrupt", "answer: "]);
  });
});

test("a withdrawn question drops its partly typed answer", async () => {
  const { type, lines, heard } = bound(terminal());
  lines.ask("Run it? ");
  await type("y");
  lines.withdraw();
  lines.ask("Enter to resume: ");
  await type("\r");
  expect(heard).toEqual(["answer: "]);
});

test("lines of one paste: the first is the answer, the others are messages", async () => {
  const { type, lines, heard } = bound(terminal());
  lines.ask("Run it? ");
  await type("y\ry\r");
  expect(heard).toEqual(["answer: y", "words: y"]);
});

test("the end of the input is reported once", async () => {
  const { type, lines, heard } = bound(terminal());
  lines.ask("Run it? ");
  await type("\x04");
  lines.close();
  expect(heard).toEqual(["end"]);
  expect(lines.isOver).toBe(true);
});

test("the up key recalls earlier input, and no escape is written", async () => {
  const fake = terminal();
  await fake.type("first words\r");
  fake.shown();
  await fake.type("\x1b[A");
  expect(fake.shown()).toBe("> first words");
});

const bound = (fake: FakeTerminal) => ({
  type: (keys: string) => fake.type(keys),
  shown: () => fake.shown(),
  writer: fake.writer,
  lines: fake.lines,
  heard: fake.heard,
});
