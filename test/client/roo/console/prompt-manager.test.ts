import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { OutputManager, PromptManager, type PromptManagerOptions } from "../../../../client/index.ts";
import { TestClock } from "../../../actors/protocol/host.ts";

/** A manager over pipes, and what it has written. */
function desk(options: Partial<PromptManagerOptions> = {}) {
  const input = new PassThrough();
  const clock = new TestClock();
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) };
  const prompts = new PromptManager({ input, output, clock, ...options });
  return { input, clock, prompts, text: () => written.join("") };
}

const person = <T>(value: T) => ({ kind: "answer", value, by: "person" });

describe("a question", () => {
  test.each([
    ["y", true],
    ["YES", true],
    ["n", false],
    ["No", false],
    ["", false],
  ])("of yes or no takes %j", async (line, value) => {
    const { input, prompts, text } = desk();
    const reply = prompts.yesNo("Go on?", { default: false });
    expect(text()).toBe("Go on? (y/N) ");
    input.write(`${line}\r\n`);
    expect(await reply).toEqual(person(value));
  });

  test("accepts a text, decoded correctly however its bytes are split", async () => {
    const { input, prompts } = desk();
    const reply = prompts.text("Name?");
    const bytes = Buffer.from("Zoë\n");
    for (const byte of bytes) input.write(Buffer.from([byte]));
    expect(await reply).toEqual(person("Zoë"));
  });

  test("with choices accepts a number, a choice's text, or, if it is free, any other text", async () => {
    const { input, prompts, text } = desk();
    const choices = ["left", "right"];
    const ask = async (line: string, isFree = false) => {
      const reply = prompts.choice("Where?", choices, { isFree });
      input.write(line);
      return reply;
    };
    expect(await ask("2\n")).toEqual(person("right"));
    expect(await ask("LEFT\n")).toEqual(person("left"));
    expect(await ask("up\n", true)).toEqual(person("up"));
    expect(text()).toContain("Where?\n  1. left\n  2. right\n> ");
  });

  test("is asked again after an unclear answer, up to a limit (L14)", async () => {
    const { input, prompts, text } = desk({ unclearMax: 3 });
    const reply = prompts.yesNo("Sure?");
    for (const line of ["perhaps\n", "hm\n", "so\n"]) input.write(line);
    expect(await reply).toEqual({ kind: "none", why: "unclear" });
    expect(text()).toBe(
      "Sure? (y/n) \nPlease answer y or n.\nSure? (y/n) \nPlease answer y or n.\nSure? (y/n) \n",
    );
  });

  test("waits for the question before it", async () => {
    const { input, prompts, text } = desk();
    const first = prompts.text("One?");
    const second = prompts.text("Two?");
    expect(text()).toBe("One? ");
    input.write("1\n");
    expect(await first).toEqual(person("1"));
    expect(text()).toBe("One? \nTwo? ");
    input.write("2\n");
    expect(await second).toEqual(person("2"));
  });

  test("is not answered by a line that was typed before it was shown (L7)", async () => {
    const { input, prompts } = desk();
    const came = once(input, "data");
    input.write("y\n");
    await came;
    const first = prompts.yesNo("Run it?");
    const second = prompts.yesNo("And this?", { default: false });
    input.end("n\ny\n");
    expect(await first).toEqual(person(false));
    // The second line came with the first, before its question.
    expect(await second).toEqual({ kind: "answer", value: false, by: "end" });
  });

  test("is answered by the lines of a script, in order, with typeAhead", async () => {
    const { input, prompts } = desk({ typeAhead: true, typeAheadMaxLines: 2 });
    input.end("a\nb\nc\nd");
    const replies = [];
    for (const question of ["1?", "2?", "3?", "4?", "5?"]) replies.push(await prompts.text(question));
    expect(replies).toEqual([...["a", "b", "c", "d"].map(person), { kind: "none", why: "end" }]);
  });

  test("gets its default at its timeout, and leaves no timer after an answer", async () => {
    const { input, prompts, clock } = desk();
    const late = prompts.yesNo("Go on?", { default: true, timeoutMs: 5000 });
    clock.moveTo(1000 + 4999);
    expect(clock.waiting).toBe(1);
    clock.moveTo(1000 + 5000);
    expect(await late).toEqual({ kind: "answer", value: true, by: "deadline" });
    const answered = prompts.yesNo("And now?", { default: true, timeoutMs: 5000 });
    input.write("n\n");
    expect(await answered).toEqual(person(false));
    expect(clock.waiting).toBe(0);
  });

  test("has no timeout once an answer has been started", async () => {
    const { input, prompts, clock } = desk();
    const reply = prompts.text("Name?", { default: "nobody", timeoutMs: 10 });
    const came = once(input, "data");
    input.write("So");
    await came;
    clock.moveTo(10_000);
    input.write("mebody\n");
    expect(await reply).toEqual(person("Somebody"));
  });

  test("can be withdrawn, also before it is shown, and the next one is asked", async () => {
    const { input, prompts, clock, text } = desk();
    const left = [new AbortController(), new AbortController()] as const;
    const first = prompts.text("One?", { signal: left[0].signal, timeoutMs: 10 });
    const second = prompts.text("Two?", { signal: left[1].signal });
    const third = prompts.text("Three?");
    left[1].abort();
    left[0].abort();
    expect(await first).toEqual({ kind: "none", why: "aborted" });
    expect(await second).toEqual({ kind: "none", why: "aborted" });
    expect(clock.waiting).toBe(0);
    expect(text()).toBe("One? \nThree? ");
    input.write("3\n");
    expect(await third).toEqual(person("3"));
    expect(await prompts.text("Late?", { signal: left[0].signal })).toEqual({ kind: "none", why: "aborted" });
  });

  test("gets its default when the input ends, and so do later questions", async () => {
    const { input, prompts } = desk();
    const first = prompts.yesNo("Run it?", { default: false });
    const second = prompts.text("Why?");
    input.end();
    expect(await first).toEqual({ kind: "answer", value: false, by: "end" });
    expect(await second).toEqual({ kind: "none", why: "end" });
    expect(await prompts.yesNo("More?", { default: true })).toMatchObject({ value: true, by: "end" });
  });

  test("accepts a last line without a line end", async () => {
    const { input, prompts } = desk();
    const reply = prompts.text("Name?");
    input.end("Zoë");
    expect(await reply).toEqual(person("Zoë"));
  });

  test("on a terminal, which echoes the line end, is not followed by another one", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const stdout = new PassThrough({ encoding: "utf8" });
    const output = new OutputManager({ stdout });
    const prompts = new PromptManager({ input, output });
    const reply = prompts.text("Name?");
    input.write("Zoë\n");
    expect(await reply).toEqual(person("Zoë"));
    output.line("Hello.");
    await output.close();
    expect(stdout.read()).toBe("Name? Hello.\n");
  });

  test("rejects a line that is too long, and is asked again", async () => {
    const { input, prompts, text } = desk({ lineMaxChars: 5 });
    const reply = prompts.text("Name?");
    input.write("123");
    input.write("456\n");
    input.write("ab\n");
    expect(await reply).toEqual(person("ab"));
    expect(text()).toContain("at most 5 characters");
  });

  test("has no answer once the manager is closed, and the input is left paused", async () => {
    const { input, prompts } = desk();
    const reply = prompts.text("Name?", { default: "nobody" });
    prompts.close();
    expect(await reply).toEqual({ kind: "none", why: "closed" });
    expect(await prompts.text("Again?")).toEqual({ kind: "none", why: "closed" });
    expect(input.isPaused()).toBe(true);
  });
});
