import { Writable } from "node:stream";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { OutputManager, type OutputManagerOptions } from "../../../../client/index.ts";
import { printable } from "../../../../client/printable/printable.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { DONE, openRig } from "../../../support/host.ts";

/** A reader that takes a piece only when the test lets it. */
class SlowReader extends Writable {
  readonly taken: string[] = [];
  #next: (() => void)[] = [];
  #isFree = false;

  constructor(highWaterMark = 8) {
    super({ highWaterMark, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.taken.push(chunk);
    if (this.#isFree) done();
    else this.#next.push(done);
  }

  /** Takes one piece; gives whether there was one. */
  read(): boolean {
    const done = this.#next.shift();
    done?.();
    return done !== undefined;
  }

  /** Takes all that comes from now on. */
  readOn(): void {
    this.#isFree = true;
    while (this.read());
  }

  get text(): string {
    return this.taken.join("");
  }
}

/** Streams that take all at once. */
function page(options: Partial<OutputManagerOptions> = {}) {
  const stdout = new SlowReader();
  const stderr = new SlowReader();
  stdout.readOn();
  stderr.readOn();
  const output = new OutputManager({ stdout, stderr, echoPrompt: true, ...options });
  return { output, stdout, stderr };
}

const say = (ts: number, kind: string, text: string, partial?: boolean): ClineMessage => ({
  ts,
  type: "say",
  say: kind,
  text,
  ...(partial !== undefined && { partial }),
});
const ask = (ts: number, kind: string, text = "", more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: kind,
  text,
  ...more,
});
const reasoning = (text: string, partial = true): ClineMessage => say(1, "reasoning", text, partial);

describe("the output", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "\x1b", "\ud83d", "\ude00") });

  property.prop([fc.array(text), text, fc.boolean(), fc.array(fc.boolean())])(
    "of a growing message is its final text, however slow the reader is and however often it is shown",
    async (suffixes, last, raw, reads) => {
      const stdout = new SlowReader(4);
      const output = new OutputManager({ stdout, raw });
      let grown = "";
      suffixes.forEach((suffix, index) => {
        grown += suffix;
        output.show(reasoning(grown));
        output.show(reasoning(grown));
        if (reads[index] === true) stdout.read();
      });
      output.show(reasoning(grown + last, false));
      output.show(reasoning(grown + last, false));
      const closed = output.close();
      stdout.readOn();
      await closed;
      const final = raw ? grown + last : printable(grown + last);
      const ended = final.endsWith("\n") ? final : `${final}\n`;
      expect(stdout.text).toBe(final === "" ? "" : `[reasoning] ${ended}`);
    },
  );

  test("waits for a slow reader and then writes all growth at once: nothing is lost, and the queue is bounded", async () => {
    const stdout = new SlowReader();
    const output = new OutputManager({ stdout });
    let text = "";
    for (let count = 0; count < 10_000; count += 1) {
      text += `${count} `;
      output.show(reasoning(text));
    }
    expect(stdout.taken).toEqual(["[reasoning] 0 "]);
    expect(stdout.writableLength).toBeLessThan(100);
    stdout.readOn();
    await output.flushed();
    expect(stdout.text).toBe(`[reasoning] ${text}`);
    expect(stdout.taken.length).toBeLessThan(5);
  });

  test("shows a message once, although each push repeats all messages", () => {
    const { output, stdout } = page();
    const rows = [say(1, "text", "Do it"), say(2, "text", "Doing it."), ask(3, "followup", "Which?")];
    for (const row of [...rows, ...rows, { ...rows[2], closing: "answered" } as ClineMessage])
      output.show(row);
    expect(stdout.text).toBe("[user] Do it\n[assistant] Doing it.\n[question] Which?\n");
  });

  test("shows a replaced text again, marked as such", () => {
    const { output, stdout } = page();
    output.show(reasoning("One"));
    output.show(reasoning("Two"));
    output.show(reasoning("Two and a half", false));
    expect(stdout.text).toBe("[reasoning] One\n[reasoning] (again) Two and a half\n");
  });

  test("names the rule that allowed a call, and shows an answered ask once, without its reason", () => {
    const { output, stdout } = page();
    const rule = "command(npm test *) in settings.yaml";
    output.show(ask(1, "command", "npm test", { partial: false, closing: "answered", reason: rule }));
    const asked = ask(2, "command", "rm a", { partial: false, reason: "no rule allows 'rm a'" });
    output.show(asked);
    output.show({ ...asked, closing: "answered", isAnswered: true });
    output.show(say(3, "permissions_changed", "The permissions have changed."));
    expect(stdout.text).toBe(
      `[command request] npm test  (${rule})\n[command request] rm a\n[permissions changed]\n`,
    );
  });

  test("shows complete asks under their names, and no withdrawn ask", () => {
    const { output, stdout, stderr } = page();
    output.show(ask(1, "tool", '{"tool":"readF', { partial: true }));
    expect(stdout.text).toBe("");
    output.show(ask(1, "tool", '{"tool":"readFile","path":"a.txt"}', { partial: false }));
    output.show(ask(2, "command", "rm -r x", { partial: true }));
    output.show(ask(2, "command", "rm -r x", { partial: false, closing: "withdrawn" }));
    output.show(ask(3, "command", "ls\x1b[8m; rm x"));
    output.show(ask(4, "use_mcp_server", "{}"));
    output.show(ask(5, "api_req_failed", "529"));
    output.show(ask(6, "mistake_limit_reached", "3 in a row"));
    output.show(ask(7, "auto_approval_max_req_reached", "{}"));
    output.show(ask(8, "resume_task"));
    output.show(
      ask(
        9,
        "followup",
        JSON.stringify({ question: "Which?", suggest: [{ answer: "left" }, { answer: "right" }] }),
      ),
    );
    output.show(say(10, "error", "It broke."));
    output.show(say(20, "error", "MODEL_NO_TOOLS_USED"));
    output.show(say(11, "api_req_retry_delayed", "529\noverloaded\n<retry_timer>7</retry_timer>"));
    output.show(say(12, "diff_error", "It does not match."));
    output.show(say(12, "rooignore_error", "secret"));
    output.show(say(12, "api_req_rate_limit_wait", "Too soon.\n<retry_timer>7</retry_timer>"));
    output.show(say(12, "completion_result", "All done."));
    output.show(ask(13, "completion_result"));
    output.show(say(14, "checkpoint_saved", "abc"));
    expect(stdout.text).toBe(
      [
        "[Tool Request] readFile a.txt",
        "[command request] ls\\u001b[8m; rm x",
        "[mcp request] {}",
        "[api request failed] 529",
        "[mistake limit reached] 3 in a row",
        "[auto-approval limit reached] {}",
        "[Resume Task]",
        "[question] Which?",
        "  1. left",
        "  2. right",
        "[assistant] All done.",
        "[task complete]",
        "",
      ].join("\n"),
    );
    expect(stderr.text).toBe(
      [
        "[error] It broke.",
        "[error] The model called no tool, although it had not completed the task. It was told to continue.",
        "[error] 529 overloaded Retrying in 7 s.",
        "[error] It does not match.",
        "[error] Blocked by .rooignore: secret",
        "[waiting] Too soon. Starting in 7 s.",
        "",
      ].join("\n"),
    );
  });

  test("shows a header without a text once, and an addition to a complete message under its header", () => {
    const { output, stdout } = page();
    const rows = [reasoning("One", false), ask(2, "completion_result")];
    for (const row of [...rows, ...rows]) output.show(row);
    output.show(reasoning("One and", false));
    output.show(reasoning("One and two", false));
    for (const row of rows.slice(1)) output.show(row);
    expect(stdout.text).toBe("[reasoning] One\n[task complete]\n[reasoning]  and\n[reasoning]  two\n");
  });

  test("continues a command's output when its last message repeats it, and ends it there", () => {
    const { output, stdout } = page();
    output.show(ask(1, "command_output", "", { callId: "c" }));
    output.show(ask(1, "command_output", "one\ntw", { callId: "c" }));
    output.show(ask(1, "command_output", "one\ntw", { callId: "c", closing: "ended" }));
    output.show(say(2, "command_output", "one\ntwo"));
    output.show(say(3, "text", "Good."));
    expect(stdout.text).toBe("[command output] one\ntwo\n[assistant] Good.\n");
  });

  test("removes a command's colors, and ends an overwritten line, however the output is split", () => {
    const whole = "\x1b[1;32mok\x1b[0m 1%\r2%\r\r\n\x1b[2K";
    for (let cut = 1; cut < whole.length; cut += 1) {
      const { output, stdout } = page();
      output.show(ask(1, "command_output", whole.slice(0, cut), { callId: "c" }));
      output.show(say(2, "command_output", whole));
      expect(stdout.text).toBe("[command output] ok 1%\n2%\n\\u001b[2K\n");
    }
  });

  test("repeats a message's header after another message", () => {
    const { output, stdout } = page();
    output.show(say(1, "text", "a", true), "parent");
    output.show(say(1, "reasoning", "b", true), "child");
    output.show(say(1, "text", "ac", false), "parent");
    expect(stdout.text).toBe("[user] a\n[reasoning] b\n[user] c\n");
  });

  test("keeps other code from writing in quiet mode, until it is closed", async () => {
    const others: string[] = [];
    const { output, stdout } = page({ quiet: (text) => others.push(text) });
    stdout.write("noise");
    output.line("mine");
    await output.close();
    stdout.write("again");
    expect(others).toEqual(["noise"]);
    expect(stdout.text).toBe("mine\nagain");
  });

  test("writes nothing after its reader has closed the stream, and reports that to onError", async () => {
    const errors: Error[] = [];
    const { output, stdout } = page({ onError: (error) => errors.push(error) });
    stdout.destroy(new Error("EPIPE"));
    await new Promise((resolve) => stdout.once("close", resolve));
    output.show(say(1, "text", "Hello"));
    await output.flushed();
    expect(output.isGone).toBe(true);
    expect(errors).toEqual([new Error("EPIPE")]);
  });

  test("of an attached task is the text of its messages, without the prompt", async () => {
    await using rig = await openRig({
      script: `[[{ thinking: I think., chunk: 2 }, { text: I wait for you., chunk: 3 }, ${DONE}]]`,
    });
    const { output, stdout } = page({ echoPrompt: false });
    output.attach(rig.task);
    await rig.task.run("Do it");
    await output.close();
    expect(stdout.text).toBe(
      "[reasoning] I think.\n[assistant] I wait for you.\n[assistant] Done.\n[task complete]\n",
    );
    // What it has shown, or was there before, is not shown again.
    const late = page();
    late.output.attach(rig.task);
    expect(late.stdout.text).toBe("");
  });
});
