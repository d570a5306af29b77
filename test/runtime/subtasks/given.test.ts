import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { createHost } from "../../../runtime/host.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import type { MockRequest } from "../../../testing/mock/server/record.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import { type Rig, resultsOf } from "../../support/host.ts";
import {
  askOf,
  Crash,
  completes,
  MODES,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtaskResults,
} from "../../support/subtasks.ts";

/** A turn that starts a subtask with these arguments besides its work. */
const subtaskWith = (given: string): string =>
  `{ tool: new_task, input: { mode: one, message: "Work in one.", ${given} } }`;
const root = (given: string) => [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtaskWith(given) },
];
const one = (turn: string, next = completes("One done."), after = "note") => [
  { mode: "one", after, turn: next },
  { mode: "one", turn },
];
const childOf = ({ task }: Rig): string => `${task.id}.1`;

/** The names of the tools in a request. */
const toolsIn = (request: MockRequest | undefined): readonly string[] =>
  (request?.body as { tools: { name: string }[] } | undefined)?.tools.map(({ name }) => name) ?? [];
const toolErrors = (rig: Rig): string => rig.sent().flatMap(resultsOf).join("\n");

describe("the call that starts a subtask", () => {
  test("names it, and its name is its title", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...root("name: The docs"), ...one(completes("Done."))),
    );
    const child = openedTask(rig.host, childOf(rig));
    await rig.task.run("Do it");
    expect((await child).title).toBe("The docs");
    expect(rig.task.title).toBeUndefined();
    const history = openHistory({ dataDir: rig.dataDir });
    expect(await history.summary(childOf(rig))).toMatchObject({ title: "The docs" });
  });

  test("names its profile, also in place of the one of its mode", async () => {
    const mock = await startMock(parseScript(scriptByMode(...one(completes("By fast.")))));
    onTestFinished(() => mock.close());
    const fast = anthropic({ model: "claude-haiku-4-5", apiKey: "mock", baseURL: mock.url });
    await using rig = await openSubtaskRig(scriptByMode(...root("profile: fast")), {
      models: { named: { fast }, byMode: { one: "default" } },
    });
    await rig.task.run("Do it");
    expect(subtaskResults(rig.task)).toEqual(["By fast."]);
    expect(JSON.stringify(rig.mock?.requests[0]?.body)).toContain('"enum":["default","fast"]');
  });

  test("names no profile where none is offered, and only an offered one else", async () => {
    const fast = anthropic({ model: "claude-haiku-4-5", apiKey: "mock", baseURL: "http://127.0.0.1:1" });
    const script = scriptByMode(...root("profile: default"));
    await using none = await openSubtaskRig(script, { models: { named: { fast }, offered: [] } });
    await none.task.run("Do it");
    expect(toolErrors(none)).toContain("unknown argument 'profile'");
    await using one = await openSubtaskRig(script, { models: { named: { fast }, offered: ["fast"] } });
    await one.task.run("Do it");
    expect(toolErrors(one)).toContain("'profile'");
    expect(JSON.stringify(one.mock?.requests[0]?.body)).toContain('"enum":["fast"]');
  });

  test("leaves it some of the tools of its parent", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...root("tools: [note, glob, new_task]"), ...one(NOTE)),
      { tools: [new Notes().tool] },
    );
    await rig.task.run("Do it");
    const requests = rig.mock?.requests ?? [];
    expect(toolsIn(requests[1])).toEqual(["glob", "attempt_completion", "new_task", "note"]);
    expect(toolsIn(requests[0]).length).toBeGreaterThan(4);
    expect(subtaskResults(rig.task)).toEqual(["One done."]);
  });

  test("is refused where it names a tool that the parent lacks, before anybody is asked", async () => {
    const asked: string[] = [];
    await using rig = await openSubtaskRig(scriptByMode(...root("tools: [read, deploy]")), {
      policy: ({ tool }) => {
        asked.push(tool.name);
        return { kind: "allow", rule: "all" };
      },
    });
    await rig.task.run("Do it");
    expect(toolErrors(rig)).toContain("A subtask can't have the tool 'deploy', which this task lacks");
    expect(asked).not.toContain("new_task");
    expect(rig.host.tasks.has(childOf(rig))).toBe(false);
  });

  test("leaves it less permissions, which a change of the parent's permissions does not lift", async () => {
    const notes = new Notes();
    await using rig = await openSubtaskRig(
      scriptByMode(
        ...root("permissions: { level: ask, deny: [tool(note)] }"),
        { mode: "one", after: "note", turn: QUESTION },
        { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
        { mode: "one", turn: NOTE },
      ),
      { tools: [notes.tool], permissions: { level: "auto-edit" } },
    );
    const end = rig.task.run("Do it");
    const ask = await askOf(rig.host, childOf(rig), "question");
    const child = await openedTask(rig.host, childOf(rig));
    expect(child.permissions).toEqual({ level: "ask", rules: [] });
    const allow = [{ level: "allow", rule: "tool(note)" }] as const;
    rig.task.changePermissions({ level: "bypass", rules: allow });
    expect(child.permissions).toEqual({ level: "ask", rules: allow });
    rig.task.changePermissions({ level: "plan" });
    expect(child.permissions).toEqual({ level: "plan", rules: allow });
    ask.answer("left");
    await end;
    expect(notes.count).toBe(0);
    expect(toolErrors(rig)).toContain("tool(note) in the call that started this subtask");
  });

  test("lowers its budget", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...root("budget: { requests: 2, cost: 0.25 }"), ...one(completes("One done."))),
      { budget: { requests: 10, cost: 2 } },
    );
    const child = openedTask(rig.host, childOf(rig));
    await rig.task.run("Do it");
    expect((await child).snapshot.context.budget).toMatchObject({ granted: { requests: 2, cost: 0.25 } });
  });

  test("has a schema for its result: another one is an error for it, and the parent gets the JSON", async () => {
    const result = "{ type: object, properties: { moons: { type: integer } }, required: [moons] }";
    await using rig = await openSubtaskRig(
      scriptByMode(
        ...root(`result: ${result}`),
        ...one(completes("{ moons: many }"), completes("{ moons: 2 }"), "attempt_completion"),
      ),
    );
    await rig.task.run("Do it");
    expect(toolErrors(rig)).toContain("'result.moons': expected a number, received a string");
    expect(subtaskResults(rig.task)).toEqual(['{"moons":2}']);
    expect(toolErrors(rig)).toContain('{"moons":2}');
  });
});

const GIVEN =
  "name: The docs, tools: [ask_followup_question, note], permissions: { level: ask, deny: [tool(note)] }, result: { type: object, properties: { moons: { type: integer } }, required: [moons] }";

describe("a subtask that is opened again after a crash has what the call gave it", () => {
  const script = scriptByMode(
    ...root(GIVEN),
    { mode: "one", after: "attempt_completion", turn: completes("{ moons: 2 }") },
    { mode: "one", after: "note", turn: completes("{ moons: many }") },
    { mode: "one", to: "interrupted|Go on", turn: NOTE },
    { mode: "one", turn: QUESTION },
  );

  test.each(["by its parent", "alone, with options of its own"])("%s", async (by) => {
    const notes = new Notes();
    await using rig = await openSubtaskRig(script, { tools: [notes.tool], permissions: { level: "auto" } });
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, childOf(rig), "question");
    const crash = new Crash(rig);
    const before = rig.mock?.requests.length ?? 0;
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const open = async () => {
      if (by === "by its parent") {
        const copy = await crash.open({ tools: [notes.tool] });
        const child = openedTask(copy.host, childOf(rig));
        const end = copy.task.run();
        return { copy, child: await child, end };
      }
      const host = createHost({ dataDir: path.join(crash.base, "data") });
      const child = await host.open(childOf(rig), {
        model,
        workspace: path.join(crash.base, "workspace"),
        modes: MODES,
        tools: [...builtinTools(), notes.tool],
        permissions: { level: "bypass", judge: allowEverything() },
      });
      return { copy: { [Symbol.asyncDispose]: () => host.closeAll() }, child, end: child.run("Go on") };
    };
    const { copy, child, end } = await open();
    await using _copy = copy;
    expect(child.title).toBe("The docs");
    await end;
    expect(child.permissions.level).toBe("ask");
    const later = rig.mock?.requests.slice(before) ?? [];
    expect(toolsIn(later[0])).toEqual(["ask_followup_question", "note", "attempt_completion"]);
    const bodies = JSON.stringify(later.map(({ body }) => body));
    expect(bodies).toContain("in the call that started this subtask");
    expect(bodies).toContain("'result.moons': expected a number");
    expect(child.snapshot.context.result).toBe('{"moons":2}');
    expect(notes.count).toBe(0);
  });
});
