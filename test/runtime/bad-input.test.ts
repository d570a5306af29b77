import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Answer } from "../../machines/message/asks.ts";
import { DEFAULT_LIMITS } from "../../machines/task/limits.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ModelEvent } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import { HostError } from "../../runtime/task/errors.ts";
import { memoryJournal } from "../../store/index.ts";
import { allowEverything, builtinTools, type Policy } from "../../tools/index.ts";
import { head, mutate, mutations, stream } from "../client/sse.ts";
import { DONE, openRig, PIXEL, type Rig, resultsOf } from "../support/host.ts";
import { call, complete, scripted } from "../support/model.ts";

/** The same inputs each time. SIGNALBOX_FUZZ_FACTOR=20: 20 times as many, and new ones. */
const factor = Number(process.env.SIGNALBOX_FUZZ_FACTOR ?? 0);
const times = (runs: number) => (factor > 0 ? { numRuns: runs * factor } : { numRuns: runs, seed: 1 });
const patience = 60_000 * Math.max(1, factor);

let server: Server;
let baseURL: string;
/** The response to the next request; later ones are complete. */
let bytes: Buffer | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().once("end", () => {
      const wrong = bytes;
      bytes = undefined;
      if (wrong !== undefined) request.socket.end(wrong);
      else
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(stream("attempt_completion", { result: "Done." }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** All tools but commands are allowed: calls of a broken stream must be safe to run. */
const noCommands: Policy = ({ tool }) =>
  tool.group === "command"
    ? { kind: "deny", rule: "no-commands", reason: "This is a test." }
    : { kind: "allow", rule: "any" };

/** Nothing that was recorded is lost: the prompt is still the first message and the first entry. */
function expectPrompt({ task }: Rig, prompt: string): void {
  expect(task.log.at(0)).toMatchObject({ say: "text", text: prompt });
}

describe("no sequence of bytes from the endpoint breaks a task", () => {
  const survives = async (wrong: Buffer): Promise<Rig> => {
    bytes = wrong;
    const rig = await openRig({
      anthropic: { baseURL },
      journal: "memory",
      policy: noCommands,
      limits: { retryDelayMs: 1, mistakes: 0 },
      llm: { idleTimeoutMs: 2_000 },
    });
    const end = await rig.task.run("Do it");
    expect(["completion", "failure"]).toContain(end.ask);
    if (end.ask === "failure") {
      const [ask] = rig.task.asks;
      expect(ask?.text).not.toBe("");
      // A failed task continues when a person approves.
      expect((await rig.task.run("")).result).toBe("Done.");
    }
    expectPrompt(rig, "Do it");
    return rig;
  };

  test.prop([fc.uint8Array({ maxLength: 2_000 })], times(25))(
    "random bytes instead of a response",
    async (raw) => {
      await using _ = await survives(Buffer.from(raw));
    },
    patience,
  );

  test.prop([fc.uint8Array({ maxLength: 2_000 })], times(25))(
    "random bytes with the content type of a stream",
    async (raw) => {
      await using _ = await survives(Buffer.concat([head, raw]));
    },
    patience,
  );

  test.prop([fc.array(mutations, { minLength: 1, maxLength: 4 })], times(60))(
    "a valid stream with events dropped, repeated, moved and cut, and bytes flipped",
    async (changes) => {
      await using _ = await survives(mutate(changes));
    },
    patience,
  );
});

describe("no model breaks a task", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom("", " ", "\ud800", "{", '{"path":"a.txt"}'),
  );
  const id = fc.constantFrom("a", "b", "", "/");
  const usage = fc.record({
    tokensIn: fc.nat(),
    tokensOut: fc.nat(),
    cacheWrites: fc.nat(),
    cacheReads: fc.nat(),
    cost: fc.double({ min: 0, max: 10, noNaN: true }),
  });
  const stopReason = fc.constantFrom("end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn");
  const event: fc.Arbitrary<ModelEvent> = fc.oneof(
    fc.record({ type: fc.constantFrom("text.delta", "thinking.delta"), text }),
    fc.record({ type: fc.constant("thinking.end"), signature: fc.constantFrom("", "c2lnbmVk") }),
    fc.record({ type: fc.constant("thinking.redacted"), data: fc.constantFrom("", "ZGF0YQ==") }),
    fc.record({ type: fc.constant("block.end") }),
    fc.record({
      type: fc.constant("tool.start"),
      id,
      name: fc.constantFrom("read_file", "write_to_file", "", "x"),
    }),
    fc.record({ type: fc.constant("tool.delta"), json: text }),
    fc.record({ type: fc.constant("usage"), usage }),
    fc.record({ type: fc.constant("finished"), stopReason, usage }),
  );

  test.prop([fc.array(event, { maxLength: 12 })], times(100))(
    "with any events in any order",
    async (events) => {
      let isFirst = true;
      await using rig = await openRig({
        model: {
          id: "wild",
          async *stream() {
            const wild = isFirst;
            isFirst = false;
            if (wild) yield* events;
            yield* complete();
          },
        },
        journal: "memory",
        policy: noCommands,
        limits: { retryDelayMs: 1, mistakes: 0 },
        pauses: true,
      });
      const end = await rig.task.run("Do it");
      if (end.ask === "failure") expect((await rig.task.run("")).ask).toBe("completion");
      else expect(end.ask).toBe("completion");
      expectPrompt(rig, "Do it");
    },
    patience,
  );
});

describe("no arguments of a tool break a task", () => {
  const names = [...builtinTools().map(({ name }) => name), "no_such_tool", "write_to_file"];
  const keys = [
    "path",
    "content",
    "diff",
    "regex",
    "file_pattern",
    "recursive",
    "command",
    "cwd",
    "timeout",
    "files",
    "todos",
    "result",
    "question",
    "follow_up",
    "offset",
    "limit",
  ];
  const value = fc.oneof(
    fc.constantFrom(
      ".",
      "a.txt",
      "../out.txt",
      "/etc/passwd",
      "",
      "\0",
      "a/../../b",
      "~",
      "(",
      "[x] y",
      "x".repeat(10_000),
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const input = fc.oneof(
    fc.dictionary(fc.constantFrom(...keys), value),
    fc.json(),
    fc.string(),
    fc.dictionary(fc.constantFrom("__proto__", "constructor", "toString"), value),
  );

  test.prop(
    [fc.array(fc.tuple(fc.constantFrom(...names), input), { minLength: 1, maxLength: 6 })],
    times(50),
  )(
    "each call gets one result, and the task continues",
    async (calls) => {
      await using rig = await openRig({
        model: scripted([
          async function* () {
            for (const [index, [name, given]] of calls.entries())
              yield* call(name, given as string, `toolu_${index}`);
            yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
          },
          () => complete(),
          () => complete(),
        ]),
        files: { "a.txt": "one\ntwo\n" },
        journal: "memory",
        policy: noCommands,
        limits: { mistakes: 0 },
      });
      rig.task.asks$.subscribe((ask) => {
        if (ask.kind === "question") ask.answer("this one");
        if (ask.kind === "completion" && ask.text === "") ask.answer("go on");
      });
      await rig.task.run("Do it");
      expect(resultsOf(rig.sent()[1] ?? [])).toHaveLength(calls.length);
      expectPrompt(rig, "Do it");
    },
    patience,
  );
});

describe("no answer breaks a task", () => {
  const kind = fc.constantFrom("yes", "no", "text", "maybe", "", undefined, 5);
  const said = fc.oneof(fc.string(), fc.constantFrom(undefined, 5, null, {}));
  const images = fc.oneof(
    fc.constantFrom(undefined, null, "x", [5]),
    fc.array(fc.oneof(fc.constant(PIXEL), fc.string())),
  );
  const answer = fc.oneof(fc.record({ kind, text: said, images }, { requiredKeys: [] }), fc.anything());
  const id = fc.oneof(
    fc.constant("open" as const),
    fc.integer(),
    fc.constantFrom(Number.NaN, undefined, "1", null),
  );

  test.prop([fc.array(fc.tuple(id, answer), { maxLength: 12 })], times(40))(
    "of any form, to any ask: it is accepted, or rejected with a code and a reason",
    async (answers) => {
      const write = "{ tool: write_to_file, input: { path: a, content: x } }";
      const question = "{ tool: ask_followup_question, input: { question: Q, follow_up: [{ text: a }] } }";
      await using rig = await openRig({
        script: `[[${write}, ${question}], [${question}, ${write}], ${DONE}, ${DONE}, ${DONE}]`,
        journal: "memory",
      });
      const end = rig.task.run("Do it");
      end.catch(() => {});
      await rig.ask("tool");
      for (const [which, given] of answers) {
        const open = rig.task.asks.at(-1)?.id ?? 0;
        const result = rig.task.answer((which === "open" ? open : which) as number, given as Answer);
        if (!result.ok)
          expect(result).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/./) });
        // The work after the answer leads to the next ask, or the task settles.
        else
          await rig.until(({ commit }) =>
            commit.effects.some(
              ({ id: effect, type }) => type === "effect.started" && effect.startsWith("ask:"),
            ),
          );
        await rig.task.flushed();
      }
      rig.task.cancel();
      await rig.task.flushed();
      expect(["idle", "resumable"]).toContain(rig.task.state.state);
      expectPrompt(rig, "Do it");
    },
    patience,
  );
});

describe("no option breaks a host", () => {
  const number = fc.oneof(
    fc.integer(),
    fc.nat(),
    fc.double(),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, Number.MAX_VALUE),
  );
  const limit = fc.oneof({ weight: 3, arbitrary: number }, fc.string(), fc.constantFrom(null, [], {}, true));
  const limits = fc.dictionary(fc.constantFrom(...Object.keys(DEFAULT_LIMITS)), limit, { minKeys: 1 });

  const fits = (name: string, value: unknown): boolean => {
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return false;
    if (name === "subtaskShare") return value > 0 && value <= 1;
    return /Ms$|^(?:cost|condenseAt|condenseKeeps)$/.test(name) || Number.isSafeInteger(value);
  };

  test.each([
    ["condenseAt", 0.7, true],
    ["condenseKeeps", 0.1, true],
    ["cost", 0.5, true],
    ["retryDelayMs", 0.5, true],
    ["subtaskShare", 1, true],
    ["subtaskShare", 0, false],
    ["subtaskShare", 1.1, false],
    ["condenseAt", -0.1, false],
    ["condenseKeeps", Number.NaN, false],
    ["requests", 0.5, false],
  ])("the limit %s of %d is valid: %s", async (name, value, isValid) => {
    const host = createHost({ journal: () => memoryJournal() });
    const limits = { [name]: value };
    const made = host.create({ model: scripted([]), workspace: tmpdir(), limits });
    if (isValid) await made;
    else await expect(made).rejects.toThrow(`limits.${name}`);
    await host.closeAll();
  });

  test.prop([limits], times(300))(
    "limits are accepted as a whole, or rejected with the name of each invalid one",
    async (given) => {
      const host = createHost({ journal: () => memoryJournal() });
      const wrong = Object.entries(given).filter(([name, value]) => !fits(name, value));
      const made = host.create({
        model: scripted([]),
        workspace: tmpdir(),
        limits: given as Partial<typeof DEFAULT_LIMITS>,
      });
      if (wrong.length === 0) await made;
      else {
        const error = await made.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(HostError);
        for (const [name] of wrong) expect(String(error)).toContain(`limits.${name}`);
      }
      await host.closeAll();
    },
  );

  test.prop([fc.anything({ withNullPrototype: true, withBigInt: true })], times(200))(
    "an invalid value as a task's options is rejected by name",
    async (given) => {
      const host = createHost({ journal: () => memoryJournal() });
      await expect(host.create(given as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );
});

describe("no prompt breaks a task", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("", "\ud800", "\0", "</user_message>"),
  );
  const images = fc.array(
    fc.oneof(fc.constant(PIXEL), fc.string(), fc.constantFrom("data:image/png;base64,", `${PIXEL}\n`)),
    { maxLength: 3 },
  );

  test.prop([text, images], times(40))(
    "it is accepted, well-formed, or rejected before anything is recorded",
    async (prompt, pictures) => {
      await using rig = await openRig({
        script: `[${DONE}, ${DONE}]`,
        journal: "memory",
        policy: allowEverything(),
      });
      const run = rig.task.run(prompt, { images: pictures });
      if (pictures.every((picture) => picture === PIXEL)) {
        expect((await run).result).toBe("Done.");
        expectPrompt(rig, prompt.toWellFormed());
      } else {
        await expect(run).rejects.toMatchObject({
          code: "OPTION_INVALID",
          message: expect.stringContaining("images["),
        });
        expect(rig.task.log.length).toBe(0);
      }
    },
    patience,
  );

  test("half of a character, in a text of the user or of the model, is U+FFFD in the journal and in requests", async () => {
    const half = "\ud83d";
    const script = [
      [
        { text: half },
        { tool: "ask_followup_question", input: { question: half, follow_up: [{ text: half }] } },
      ],
      [{ tool: "write_to_file", input: { path: "a.txt", content: half } }],
      { tool: "attempt_completion", input: { result: half } },
      { tool: "attempt_completion", input: { result: "Done." } },
    ];
    await using rig = await openRig({ script: JSON.stringify(script), policy: allowEverything() });
    const run = rig.task.run(half);
    const question = await rig.ask("question");
    rig.task.queue(half);
    question.answer(half);
    expect((await run).result).toBe("\ufffd");
    expect((await rig.task.run(half)).result).toBe("Done.");
    expect(await rig.file("a.txt")).toBe("\ufffd");
    const texts = rig.task.log.toArray().map(({ text }) => text ?? "");
    expect(texts.filter((text) => text.includes("\ufffd")).length).toBeGreaterThan(6);
    expect(texts.every((text) => text.isWellFormed() && !/\\ud83d/i.test(text))).toBe(true);
  });

  test("text beyond its limit is rejected with the limit's name, in a prompt, a queued message and an answer", async () => {
    await using rig = await openRig({
      script: `[${DONE}]`,
      inputLimits: { textChars: 5, images: 1, imageChars: PIXEL.length },
    });
    await expect(rig.task.run("longer")).rejects.toThrow(
      /text: expected at most 5 characters \(the limit `textChars`\)/,
    );
    await expect(rig.task.run("it", { images: [PIXEL, PIXEL] })).rejects.toThrow(/the limit `images`/);
    await expect(rig.task.run("it", { images: [`${PIXEL}AAAA`] })).rejects.toThrow(/the limit `imageChars`/);
    await rig.task.run("it", { images: [PIXEL] });
    expect(() => rig.task.queue("longer")).toThrow(/`textChars`/);
    expect((await rig.ask("completion")).answer("longer")).toMatchObject({ code: "ANSWER_REFUSED" });
  });
});
