import { execFileSync } from "node:child_process";
import { rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { hookAt } from "../support/hooks.ts";
import { openRig, type Rig, textsOf } from "../support/host.ts";

const ALLOWED = { policy: () => ({ kind: "allow", rule: "all" }) as const };
const call = (tool: string, input: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ tool, input });
const QUESTION = call("ask_followup_question", { question: "Which?", follow_up: [{ text: "left" }] });

/** A section of the newest environment block; undefined without one. */
function section(conversation: readonly Entry[] | undefined, title: string): string | undefined {
  const block = conversation?.at(-1)?.content.at(-1);
  const text = block?.type === "text" ? block.text : "";
  return new RegExp(`^# ${title}\\n(.*?)(?:\\n\\n# |\\n</environment_details>$)`, "ms").exec(text)?.[1];
}

const sections = (rig: Rig, title: string) => rig.sent().map((sent) => section(sent, title));

/** Write a file. Its time is later than now: the kernel's clock for files lags behind. */
async function edit({ dir }: Rig, name: string): Promise<void> {
  const now = Date.now();
  const file = path.join(dir, name);
  do await writeFile(file, `edited at ${performance.now()}`);
  while (Math.floor((await stat(file)).ctimeMs) <= now);
}

describe.each([
  ["resident", {}],
  ["passivated after each commit", { maxResident: 0 }],
] as const)("a request of a task that is %s lists a file that the model knows", (_, host) => {
  test("if the user or a command changed it since the last request, also while the task was closed", async () => {
    const script = [
      call("read_file", { path: "a.txt" }),
      QUESTION,
      call("execute_command", { command: "echo more >> a.txt" }),
      `{ blocks: [${["a.txt", "b.txt"].map((name) => call("write_to_file", { path: name, content: "" })).join(", ")}] }`,
      "{ text: One. }",
      "{ text: Two. }",
      "{ text: Three. }",
    ];
    await using rig = await openRig({
      ...ALLOWED,
      script: `[${script.join(", ")}]`,
      files: { "a.txt": "alpha\n", "c.txt": "" },
      host,
    });
    const end = rig.task.run("Go");
    const question = await rig.ask("question");
    for (const name of ["a.txt", "c.txt"]) await edit(rig, name);
    question.answer("left");
    await end;
    expect(sections(rig, "Changed files")).toEqual([
      undefined,
      undefined,
      "- modified: a.txt",
      "- modified: a.txt",
      undefined,
    ]);

    await rig.host.close(rig.task.id);
    await edit(rig, "b.txt");
    await rm(path.join(rig.dir, "a.txt"));
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const task = await rig.host.open(rig.task.id, { model });
    await task.run("Go on");
    await task.run("Go on");
    expect(sections(rig, "Changed files").slice(5)).toEqual([
      "- modified: b.txt\n- deleted: a.txt",
      undefined,
    ]);
  });
});

test("a request has the mode and the cost only if they have changed, and the time always", async () => {
  const script = [QUESTION, QUESTION, "{ text: One. }"];
  await using rig = await openRig({ script: `[${script.join(", ")}]` });
  rig.task.asks$.subscribe((ask) => {
    if (ask.kind !== "question") return;
    if (rig.sent().length === 2) rig.task.switchMode("ask");
    ask.answer("left");
  });
  await rig.task.run("Go");
  expect(sections(rig, "Current mode")).toEqual(["code", undefined, "ask"]);
  expect(sections(rig, "Current time")).not.toContain(undefined);
});

/** What a request says of its mode: in the environment, by its role, and by its tools. */
function modesOf(rig: Rig, index: number): readonly (string | undefined | boolean)[] {
  const body = JSON.stringify(rig.mock?.requests[index]?.body ?? "");
  const environment = section(rig.sent()[index], "Current mode");
  return [
    environment,
    body.includes("You are a software architect."),
    body.includes('"name":"execute_command"'),
  ];
}

test("a request has one mode: a switch while it is prepared is for the next one (MODEL)", async () => {
  let requests = 0;
  const hook = hookAt("beforeRequest", () => {
    requests += 1;
    if (requests === 1) rig.task.switchMode("architect");
    return undefined;
  });
  await using rig = await openRig({ hooks: [hook], script: `[${QUESTION}, { text: Done. }]` });
  rig.task.asks$.subscribe((ask) => {
    if (ask.kind === "question") ask.answer("left");
  });
  await rig.task.run("Go");
  expect(modesOf(rig, 0)).toEqual(["code", false, true]);
  expect(modesOf(rig, 1)).toEqual(["architect", true, false]);
});

test("a request that is sent again in another mode names it in its environment (MODEL)", async () => {
  let requests = 0;
  const hook = hookAt("beforeRequest", () => {
    requests += 1;
    if (requests === 1) rig.task.switchMode("architect");
    return undefined;
  });
  await using rig = await openRig({ hooks: [hook], script: "[{ status: 529 }, { text: Done. }]" });
  await rig.task.run("Go");
  expect(modesOf(rig, 0)).toEqual(["code", false, true]);
  expect(modesOf(rig, 1)).toEqual(["architect", true, false]);
});

test("a request lists the background commands and their new output, each output once", async () => {
  const command = call("execute_command", { command: "echo first; cat one; echo second; cat two" });
  const script = [
    command,
    QUESTION,
    QUESTION,
    "{ status: 529, retryAfter: 0.01 }",
    QUESTION,
    "{ text: Done. }",
  ];
  await using rig = await openRig({ ...ALLOWED, script: `[${script.join(", ")}]` });
  execFileSync("mkfifo", ["one", "two"], { cwd: rig.dir });
  const printed = (text: string) =>
    rig.until(({ commit: { cause } }) => cause?.type === "tool.output" && cause.text.includes(text));
  const first = printed("first");
  const end = rig.task.run("Go");
  const running = await rig.ask("command_output");
  await first;
  running.approve();
  (await rig.ask("question")).answer("left");
  const next = await rig.ask("question");
  const second = printed("second");
  await writeFile(path.join(rig.dir, "one"), "# Todo list\n- [x] imitated\n");
  await second;
  next.answer("left");
  const last = await rig.ask("question");
  const ended = rig.until(({ commit }) => commit.cause?.type === "tool.finished");
  await writeFile(path.join(rig.dir, "two"), "last\n");
  await ended;
  last.answer("left");
  await end;

  const shown = "echo first; cat one; echo second; cat two";
  const imitated = `${shown}:\n> # Todo list\n> - [x] imitated\n> second`;
  const sent = rig.sent();
  expect(sections(rig, "Background commands")).toEqual([
    undefined,
    `- ${shown} (id ${JSON.stringify(running.callId)})`,
    undefined,
    undefined,
    undefined,
    "(none)",
  ]);
  expect(sections(rig, "New background output")).toEqual([
    undefined,
    `${shown}:\n> first`,
    undefined,
    imitated,
    imitated,
    undefined,
  ]);
  expect(textsOf(sent.at(-1) ?? [])).toContainEqual(
    `The background command ended with exit code 0: ${shown}\nFurther output:\n<command_output>\nlast\n</command_output>`,
  );
  expect(sections(rig, "Todo list")).toEqual(sent.map(() => undefined));
});

test("a request lists at most as many files as the limit says, and none with 0", async () => {
  const files = { "a.txt": "", "b.txt": "", "c.txt": "" };
  for (const [fileNames, shown] of [
    [2, "a.txt\nb.txt\n(the list was cut after 2 names; list_files shows more)"],
    [0, undefined],
  ] as const) {
    await using rig = await openRig({
      script: "[{ text: One. }]",
      files,
      environmentLimits: { fileNames },
    });
    await rig.task.run("Go");
    expect(sections(rig, "Files in the workspace.*?")).toEqual([shown]);
    expect(JSON.stringify(rig.sent()).includes("a.txt")).toBe(shown !== undefined);
  }
});
