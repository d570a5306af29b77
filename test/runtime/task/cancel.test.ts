import { describe, expect, test } from "vitest";
import { fromCallback } from "xstate";
import { z } from "zod";
import { requestInfo } from "../../../machines/message/request.ts";
import type { EdgeLogic } from "../../../machines/task/task.setup.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { allowEverything, builtinTools, defineTool, type Policy } from "../../../tools/index.ts";
import {
  DONE,
  messagesOf,
  openRig,
  type Rig,
  type RigOptions,
  resultsOf,
  textsOf,
  writersGone,
} from "../../support/host.ts";
import { deferred } from "../../support/model.ts";

/** A script that waits after its first turns, and completes when the user sends "go on". */
const until = (turns: string) =>
  `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${turns}] }]`;

const STALL = "stallMs: 600000";
const command = '{ tool: execute_command, input: { command: "exec 9>alive; echo begun; sleep 300" } }';
const write = "{ tool: write_to_file, input: { path: a, content: x } }";

/** A tool that ends only when it is aborted. */
const started = deferred();
const waiting = defineTool({
  name: "wait",
  description: "Waits.",
  inputSchema: z.object({}),
  effect: "executes",
  execute: (_, { signal }) => {
    started.resolve();
    return new Promise<string>((resolve) =>
      signal.addEventListener("abort", () => resolve("I was stopped.")),
    );
  },
});

/** Returns nothing the first time. */
function silentOnce(logic: EdgeLogic<"context">): EdgeLogic<"context"> {
  const silent: EdgeLogic<"context"> = fromCallback(() => {});
  let next = silent;
  return {
    ...logic,
    start: (state, scope) => {
      next.start?.(state, scope);
      next = logic;
    },
  };
}

/** A policy that never decides about files. */
const hesitant: Policy = ({ tool }) => (tool.group === "edit" ? new Promise(() => {}) : { kind: "ask" });

interface Phase {
  /** The machine's state that is cancelled. */
  readonly state: string;
  readonly what: string;
  readonly options: RigOptions;
  /** The commit after which the task is cancelled. Default: the first that leaves the machine in `state`. */
  readonly when?: (shown: TaskCommit) => boolean;
  /** The newest entry of the resumed request: the results, then the text. */
  readonly results?: readonly unknown[];
}

const causedBy =
  (type: string) =>
  ({ commit }: TaskCommit): boolean =>
    commit.cause?.type === type;

const phases: readonly Phase[] = [
  { state: "running.starting", what: "it starts", options: { script: until(DONE) } },
  {
    state: "streaming.preparing",
    what: "a request is prepared",
    options: { script: until(DONE), actors: ({ context }) => ({ context: silentOnce(context) }) },
  },
  {
    state: "streaming.receiving",
    what: "the endpoint is silent",
    options: { script: until(`{ ${STALL} }, ${DONE}`) },
    when: ({ commit }) => commit.after === "streaming.receiving",
  },
  {
    state: "streaming.receiving",
    what: "text streams",
    options: { script: until(`{ ${STALL}, after: 2 }, { text: "Half a sentence that ends", chunk: 5 }`) },
    when: causedBy("llm.text.delta"),
  },
  {
    state: "streaming.receiving",
    what: "thinking streams",
    options: {
      script: until(`{ ${STALL}, after: 2 }, [{ thinking: "Let me think about it", chunk: 5 }, ${DONE}]`),
    },
    when: causedBy("llm.thinking.delta"),
  },
  {
    state: "streaming.receiving",
    what: "a call's arguments stream",
    options: {
      script: until(
        `{ ${STALL}, after: 3 }, { tool: write_to_file, input: { path: a, content: xxxxxxxxxxxxxx }, chunk: 9 }`,
      ),
    },
    when: causedBy("llm.tool.delta"),
  },
  {
    state: "streaming.finishing",
    what: "a policy decides",
    options: { script: until(write), policy: hesitant },
    results: [expect.stringContaining("interrupted")],
  },
  {
    state: "running.calling",
    what: "a tool runs",
    options: {
      script: until("{ tool: wait, input: {} }"),
      tools: [...builtinTools(), waiting],
      policy: allowEverything(),
    },
    when: () => false,
    results: ["I was stopped."],
  },
  {
    state: "running.commanding",
    what: "a command runs",
    options: { script: until(command), policy: allowEverything() },
    when: causedBy("tool.output"),
    results: [expect.stringContaining("begun")],
  },
  {
    state: "waiting_for_input.approval",
    what: "a call waits for approval",
    options: { script: until(`[${write}, ${write}]`) },
    results: [expect.stringContaining("interrupted"), expect.stringContaining("interrupted")],
  },
  {
    state: "waiting_for_input.answer",
    what: "a question waits for its answer",
    options: {
      script: until("{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: a }] } }"),
    },
    results: [expect.stringContaining("interrupted")],
  },
  {
    state: "running.retrying",
    what: "it waits to retry",
    options: {
      script: until("{ status: 529 }"),
      limits: { retryDelayMs: 600_000, retryDelayMaxMs: 600_000 },
    },
  },
];

describe("L10: a cancel settles the task in the same macrostep, and the task can be resumed (field failures 10, 19),", () => {
  test.each(phases.map((phase) => [phase.what, phase.state, phase] as const))(
    "while %s (%s)",
    async (_, state, { options, when, results }) => {
      await using rig = await openRig(options);
      const isThere = when ?? (({ commit }: TaskCommit) => commit.after === state);
      const allEnded = state === "running.commanding" ? writersGone(rig.dir) : undefined;
      cancelAt(rig, isThere);
      if (state === "running.calling") started.promise.then(() => rig.task.cancel());

      const end = await rig.task.run("Do it");
      await rig.task.flushed();

      expect(end).toMatchObject({ state: "resumable", ask: "resume" });
      const cancels = rig.shown.filter(
        (shown) => causedBy("task.cancel")(shown) && shown.commit.log.length > 0,
      );
      expect(cancels.map(({ commit }) => [commit.before, commit.after])).toEqual([[state, "resumable"]]);
      expect(running(rig.shown)).toEqual([`ask:${rig.task.asks[0]?.id}`]);
      expect(openRequests(rig)).toEqual([]);
      await allEnded;

      expect((await rig.task.run("go on")).result).toBe("Done.");
      const resumed = rig.sent().at(-1) ?? [];
      expect(resultsOf(resumed)).toEqual(results ?? []);
      expect(textsOf(resumed).at(-1)).toContain("go on");
      await expect(rig.file("a")).rejects.toThrow("ENOENT");
    },
  );

  test("with the streamed text, and without thinking and tool calls (L6)", async () => {
    await using rig = await openRig({
      script: until(
        `{ ${STALL}, after: 4 }, [{ thinking: Hm. }, { text: "I will write it." }, { tool: write_to_file, input: { path: a, content: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx } }]`,
      ),
    });
    cancelAt(rig, causedBy("llm.tool.delta"));
    await rig.task.run("Do it");
    await rig.task.run("go on");
    expect(rig.sent().at(-1)?.[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "I will write it." }],
    });
  });

  test.each(["idle", "resumable"] as const)(
    "except that a task that is %s keeps its state and its open ask",
    async (state) => {
      await using rig = await openRig({
        script: state === "idle" ? `[${DONE}, ${DONE}]` : until(command),
        policy: allowEverything(),
      });
      if (state === "resumable") cancelAt(rig, causedBy("tool.output"));
      const allEnded = state === "resumable" ? writersGone(rig.dir) : undefined;
      await rig.task.run("Do it");
      await rig.task.flushed();
      const messages = messagesOf(rig.task);
      rig.task.cancel();
      rig.task.cancel();
      await rig.task.flushed();
      expect(rig.task.state.state).toBe(state);
      expect(messagesOf(rig.task)).toEqual(messages);
      expect((await rig.task.run("go on")).result).toBe("Done.");
      await allEnded;
    },
  );

  test("but changes nothing before the start", async () => {
    await using rig = await openRig({ script: until(DONE) });
    rig.task.cancel();
    await rig.task.flushed();
    expect(rig.task.state.state).toBe("no_task");
    expect((await rig.task.run("go on")).result).toBe("Done.");
  });

  test("and run() works immediately after cancel()", async () => {
    await using rig = await openRig({ script: until(write) });
    const first = rig.task.run("Do it");
    await rig.ask("tool");
    rig.task.cancel();
    const second = rig.task.run("go on");
    expect(await first).toMatchObject({ state: "resumable" });
    expect((await second).result).toBe("Done.");
  });
});

/** Cancel twice at the first matching commit. */
function cancelAt({ task }: Rig, fits: (shown: TaskCommit) => boolean): void {
  let isDone = false;
  task.events$.subscribe((shown) => {
    if (isDone || !fits(shown)) return;
    isDone = true;
    task.cancel();
    task.cancel();
  });
}

/** The effects that were started and not stopped. */
function running(shown: readonly TaskCommit[]): readonly string[] {
  const ids = new Set<string>();
  for (const { commit } of shown)
    for (const effect of commit.effects) {
      if (effect.type === "effect.started") ids.add(effect.id);
      else ids.delete(effect.id);
    }
  return [...ids];
}

const openRequests = ({ task }: Rig) =>
  task.log
    .toArray()
    .filter((message) => message.say === "api_req_started" && requestInfo(message)?.cost === undefined);
