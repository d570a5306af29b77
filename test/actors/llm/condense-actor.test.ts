import { describe, expect, it } from "vitest";
import { condenseActor } from "../../../actors/llm/condense-actor.ts";
import type { LlmLimits } from "../../../actors/llm/limits.ts";
import { ModelError } from "../../../actors/llm/model-error.ts";
import { type Edge, immediateEdge } from "../../../actors/protocol/edge.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { CondenseEvent } from "../../../machines/task/task.events.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../../../ports/model.ts";
import type { Tool } from "../../../tools/index.ts";
import { deferred } from "../../support/model.ts";
import { heldEdge, host, settle, TestClock } from "../protocol/host.ts";
import { finished, hello, saying, spoken, text, writeTool } from "./attempt.ts";

const response: Entry = { role: "assistant", content: [{ type: "text", text: "Hi." }] };
const turns: readonly Entry[] = [...hello, response, ...hello];
const usage = { ...NO_USAGE, tokensOut: 7 };

interface Setting {
  readonly edge?: Edge;
  readonly conversation?: readonly Entry[];
  readonly instructions?: string;
  /** The threshold of a request whose tokens are estimated. */
  readonly threshold?: number;
}

interface Options extends LlmLimits {
  readonly model: ChatModel;
  readonly system?: () => Promise<readonly string[]>;
  readonly offered?: readonly Tool[];
}

function begin(
  { model, system = async () => ["Be brief."], offered = [writeTool], ...llm }: Options,
  { edge = immediateEdge, conversation = turns, instructions = "", threshold }: Setting,
) {
  const head = async () => ({ offered, system: await system() });
  const logic = condenseActor(edge, { model, head, llm });
  const actor = host(logic, {
    requestId: 42,
    conversation: PersistentList.from(conversation),
    instructions,
    mode: "code",
    estimated:
      threshold === undefined
        ? undefined
        : { history: PersistentList.from([...conversation, response, ...hello]), threshold },
  });
  const events = () =>
    actor.received.filter((event): event is CondenseEvent => event.type.startsWith("condense."));
  return { actor, events };
}

/** All events of one condensation. */
async function condense(options: Options, setting: Setting = {}): Promise<readonly CondenseEvent[]> {
  const { events, actor } = begin(options, setting);
  await new Promise<void>((resolve) => {
    actor.stopWhen(() => {
      setImmediate(resolve);
      return false;
    });
  });
  await settle();
  return events();
}

/** The request for the summary of a conversation. */
async function requestOf(setting: Setting, options: Partial<Options> = {}): Promise<ModelRequest> {
  const requests: ModelRequest[] = [];
  const model: ChatModel = {
    id: "test",
    async *stream(request) {
      requests.push(request);
      yield text("ok");
      yield finished();
    },
  };
  expect(typesOf(await condense({ ...options, model }, setting))).toEqual([
    "condense.started",
    "condense.finished",
  ]);
  const [request] = requests;
  if (request === undefined) throw new Error("expected a request");
  return request;
}

const typesOf = (events: readonly CondenseEvent[]): readonly string[] => events.map(({ type }) => type);
/** The events after the start. */
const ended = async (options: Options, setting: Setting = {}): Promise<readonly CondenseEvent[]> => {
  const [started, ...events] = await condense(options, setting);
  expect(started).toMatchObject({ type: "condense.started", requestId: 42 });
  return events;
};

const textsOf = (entry: Entry | undefined): readonly string[] =>
  (entry?.content ?? []).map((block) => (block.type === "text" ? block.text : block.type));

describe("a response with a summary", () => {
  it("is one event with its text, without white space around it, and what it used", async () => {
    const events = await ended({
      model: saying([text("\n The file "), text("was read. \n"), finished()]),
    });
    expect(events).toEqual([
      {
        type: "condense.finished",
        requestId: 42,
        summary: "The file was read.",
        usage,
        at: expect.any(Number),
      },
    ]);
  });

  it("has no half of a character, also where one is cut between two deltas", async () => {
    const [whole] = await ended({
      model: saying([text("\ud83d"), text("\udc4b \ud83d"), text("!"), finished()]),
    });
    expect(whole).toMatchObject({ summary: "👋 \ufffd!" });
  });

  it("has neither the tool calls nor the thinking of the response", async () => {
    const events: readonly ModelEvent[] = [
      { type: "thinking.delta", text: "hm" },
      { type: "thinking.end", signature: "s" },
      text("The summary."),
      { type: "tool.start", id: "t1", name: "write_to_file" },
      { type: "tool.delta", json: '{"path":"a"}' },
      { type: "block.end" },
      finished("tool_use"),
    ];
    expect(await ended({ model: saying(events) })).toMatchObject([
      { type: "condense.finished", summary: "The summary." },
    ]);
  });

  it("is not reported before the response ends", async () => {
    const { model, says } = spoken();
    const { events } = begin({ model }, {});
    await settle();
    says.next(text("half"));
    says.next({ type: "usage", usage });
    await settle();
    expect(typesOf(events())).toEqual(["condense.started"]);
    says.next(finished());
    says.next(text("more"));
    await settle();
    expect(events().slice(1)).toMatchObject([{ type: "condense.finished", summary: "half" }]);
  });
});

describe("the request for a summary", () => {
  it("has the system prompt and the tools of other requests, which the endpoint has in its cache", async () => {
    const offered = { ...writeTool, name: "offered" };
    const request = await requestOf({}, { system: async () => ["one", " ", "two"], offered: [offered] });
    expect(request.system).toEqual(["one", "two"]);
    expect(request.tools.map(({ name }) => name)).toEqual(["offered"]);
    expect((await requestOf({})).tools.map(({ name }) => name)).toEqual(["write_to_file"]);
  });

  it("has the conversation, with the notice at the end of the last entry of the user", async () => {
    const { messages } = await requestOf({});
    expect(messages).toHaveLength(3);
    expect(messages.slice(0, 2)).toEqual(turns.slice(0, 2));
    const [first, notice, ...others] = textsOf(messages[2]);
    expect(messages[2]?.role).toBe("user");
    expect(first).toBe("Hello");
    expect(notice).toMatch(/^\[automatic notice\] .*Write a summary that replaces the conversation/);
    expect(others).toEqual([]);
  });

  it("has the notice as an entry of the user after a response at the end", async () => {
    const { messages } = await requestOf({ conversation: turns.slice(0, 2) });
    expect(messages).toHaveLength(3);
    expect(messages[1]).toBe(response);
    expect(messages[2]?.role).toBe("user");
    expect(textsOf(messages[2])).toEqual([expect.stringContaining("Write a summary")]);
  });

  it("has the instructions of the user in the element of the user's texts", async () => {
    const { messages } = await requestOf({ instructions: "Keep the names." });
    const [, notice] = textsOf(messages[2]);
    expect(notice).toMatch(
      /leave them out\.\nThe user adds to this notice:\n<user_message>\nKeep the names\.\n<\/user_message>$/,
    );
  });

  it.each(["", " \n "])("has no element of the user for the instructions %j", async (instructions) => {
    const { messages } = await requestOf({ instructions });
    expect(textsOf(messages[2]).join()).not.toContain("user_message");
  });
});

describe("a condensation that fails", () => {
  const used: ModelEvent = { type: "usage", usage };

  it("is one event with the reason, what was used so far, and the jitter of the edge (L15)", async () => {
    const error = new ModelError("overloaded_error", "Busy.", {
      retryable: true,
      status: 529,
      retryAfterMs: 1_500,
    });
    const edge = { ...heldEdge().edge, random: () => 0.25, release: (start: () => void) => start() };
    expect(await ended({ model: saying([used, text("a")], error) }, { edge })).toEqual([
      {
        type: "condense.failed",
        requestId: 42,
        failure: {
          code: "overloaded_error",
          message: "Busy.",
          retryable: true,
          status: 529,
          retryAfterMs: 1_500,
        },
        usage,
        jitter: 0.25,
        at: 1_000,
      },
    ]);
  });

  it.each<[string, Options, object]>([
    [
      "a stream that ends early",
      { model: saying([used, text("half")]) },
      { code: "stream_cut", retryable: true },
    ],
    ["a model that throws", { model: saying([], new Error("a bug")) }, { code: "model_error" }],
    [
      "a system prompt that can't be read",
      { model: saying([finished()]), system: () => Promise.reject(new Error("no rules")) },
      { message: expect.stringContaining("no rules") },
    ],
    [
      "a summary longer than answerMaxChars",
      { model: saying([text("123"), text("45"), finished()]), answerMaxChars: 4 },
      {
        code: "answer_too_large",
        message: "The summary is longer than 4 characters (the limit answerMaxChars).",
        retryable: false,
      },
    ],
  ])("is one failure: %s", async (_, options, failure) => {
    expect(await ended(options)).toMatchObject([{ type: "condense.failed", requestId: 42, failure }]);
  });

  it("may use as many characters as answerMaxChars", async () => {
    const model = saying([text("12"), text("34"), finished()]);
    expect(await ended({ model, answerMaxChars: 4 })).toMatchObject([{ summary: "1234" }]);
  });
});

describe("a condensation in time", () => {
  function live(idleTimeoutMs?: number) {
    const clock = new TestClock();
    const { edge, release } = heldEdge(clock);
    const control = spoken();
    const options = { model: control.model, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) };
    return { clock, release, control, ...begin(options, { edge }) };
  }

  it("fails once where the model is silent for idleTimeoutMs, and aborts its signal", async () => {
    const { clock, release, control, events } = live(1_000);
    release();
    await settle();
    clock.moveTo(3_000);
    await settle();
    expect(events().slice(1)).toMatchObject([
      { type: "condense.failed", failure: { code: "idle_timeout", retryable: true } },
    ]);
    expect([control.aborted, clock.waiting]).toEqual([true, 0]);
  });

  it("aborts the model's signal when it is stopped, and is silent from then on (L10)", async () => {
    const { clock, release, control, actor, events } = live();
    release();
    await settle();
    control.says.next(text("a"));
    await settle();
    actor.stop();
    control.says.next(finished());
    clock.moveTo(999_999);
    await settle();
    expect(typesOf(events())).toEqual(["condense.started"]);
    expect([control.aborted, clock.waiting]).toEqual([true, 0]);
  });

  it("does not start the request before the edge releases it (L11)", async () => {
    const { release, control, actor, events } = live();
    control.says.next(finished());
    await settle();
    actor.stop();
    release();
    await settle();
    expect([events(), control.aborted]).toEqual([[], false]);
  });

  it("sends no request where it is stopped while the system prompt is read (L10)", async () => {
    const prompt = deferred<readonly string[]>();
    let requests = 0;
    const model: ChatModel = {
      id: "test",
      async *stream() {
        requests += 1;
        yield finished();
      },
    };
    const { actor, events } = begin({ model, system: () => prompt.promise }, {});
    await settle();
    actor.stop();
    prompt.resolve(["late"]);
    await settle();
    expect([requests, typesOf(events())]).toEqual([0, ["condense.started"]]);
  });
});

describe("an estimate that reaches the threshold", () => {
  const response = [text("The summary."), finished()];
  /** A model whose endpoint counts this many tokens. */
  const counting = (tokens: number, requests: ModelRequest[] = []): ChatModel => ({
    ...saying(response),
    countTokens: async (request) => {
      requests.push(request);
      return tokens;
    },
  });
  const SUMMARIZED = ["condense.started", "condense.finished"];

  it.each([
    [799, ["condense.unneeded"]],
    [800, SUMMARIZED],
  ])("of 800 tokens is compared with %i that the endpoint counts", async (tokens, types) => {
    expect(typesOf(await condense({ model: counting(tokens) }, { threshold: 800 }))).toEqual(types);
  });

  it("is compared with the tokens of the whole request, and nothing else is sent", async () => {
    const requests: ModelRequest[] = [];
    let streams = 0;
    const model: ChatModel = {
      ...counting(5, requests),
      async *stream() {
        streams += 1;
        yield finished();
      },
    };
    expect(await condense({ model }, { threshold: 6 })).toEqual([
      { type: "condense.unneeded", requestId: 42, tokens: 5, at: expect.any(Number) },
    ]);
    expect(requests).toMatchObject([{ system: ["Be brief."], tools: [{ name: "write_to_file" }] }]);
    expect(requests[0]?.messages).toHaveLength(turns.length + 2);
    expect(streams).toBe(0);
  });

  it("is what counts where nothing else is known, or an estimate is not the cause", async () => {
    expect(typesOf(await condense({ model: saying(response) }, { threshold: 800 }))).toEqual(SUMMARIZED);
    const requests: ModelRequest[] = [];
    expect(typesOf(await condense({ model: counting(1, requests) }))).toEqual(SUMMARIZED);
    expect(requests).toEqual([]);
  });

  it.each<[string, ChatModel["countTokens"]]>([
    [
      "an endpoint that has no counting",
      () => Promise.reject(new ModelError("not_found_error", "404", { retryable: false })),
    ],
    [
      "a method that throws",
      () => {
        throw new Error("a bug");
      },
    ],
    ["no number", async () => Number.NaN],
    ["a negative number", async () => -1],
  ])("is what counts after %s", async (_, countTokens) => {
    const model = { ...saying(response), ...(countTokens !== undefined && { countTokens }) };
    expect(typesOf(await condense({ model }, { threshold: 800 }))).toEqual(SUMMARIZED);
  });

  /** A count that ends only when the test says so, if at all. */
  function slow(countTimeoutMs?: number) {
    const clock = new TestClock();
    const { edge, release } = heldEdge(clock);
    const counted = deferred<number>();
    let signal: AbortSignal | undefined;
    const model: ChatModel = {
      ...saying(response),
      countTokens: (_, given) => {
        signal = given;
        return counted.promise;
      },
    };
    const options = { model, ...(countTimeoutMs !== undefined && { countTimeoutMs }) };
    const begun = begin(options, { edge, threshold: 800 });
    release();
    return { clock, counted, isAborted: () => signal?.aborted, ...begun };
  }

  it.each([
    [1_000, 2_000],
    [undefined, 11_000],
  ])("is what counts after countTimeoutMs (%s), and the count is aborted", async (limit, end) => {
    const { clock, counted, isAborted, events } = slow(limit);
    await settle();
    clock.moveTo(end - 1);
    await settle();
    expect([typesOf(events()), isAborted()]).toEqual([[], false]);
    clock.moveTo(end);
    await settle();
    counted.resolve(1);
    await settle();
    expect([typesOf(events()), isAborted(), clock.waiting]).toEqual([SUMMARIZED, true, 0]);
  });

  it("is no longer counted when the actor is stopped, which is silent from then on (L10)", async () => {
    const { clock, counted, isAborted, actor, events } = slow();
    await settle();
    actor.stop();
    await settle();
    expect([isAborted(), clock.waiting]).toEqual([true, 0]);
    counted.resolve(1);
    await settle();
    expect(events()).toEqual([]);
  });
});
