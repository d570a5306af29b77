import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { commandHook } from "../../../adapters/hooks/command-hook.ts";
import { askAPerson, builtinTools, defineTool, ToolError } from "../../../tools/index.ts";
import { toRoo } from "../../../wire/index.ts";
import { hanging, hookAt, hookMessages, hookRig, lastResults, run } from "../../support/hooks.ts";
import { DONE, PIXEL, type Rig } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";

const SECRET = "hunter2";
const lookup = defineTool({
  name: "lookup",
  description: "Looks something up.",
  inputSchema: z.object({ fails: z.boolean().optional() }),
  effect: "reads",
  execute: ({ fails }) => {
    if (fails === true) throw new ToolError("FAILED", SECRET);
    return {
      content: [
        { type: "text", text: `The password is ${SECRET}.` },
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: PIXEL.slice(PIXEL.indexOf(",") + 1) },
        },
      ],
    };
  },
});
const OF_LOOKUP = { tools: ["lookup"] };
const OPTIONS = { tools: [lookup, ...builtinTools()], files: { "a.txt": SECRET } };
const script = (turn: string) => `[${turn}, ${DONE}]`;
const LOOKUP = script("{ tool: lookup, input: {} }");

const redacting = hookAt(
  "afterTool",
  ({ result }) => ({ decision: "replace", result: result.text.replaceAll(SECRET, "[redacted]") }),
  { name: "redact", ...OF_LOOKUP },
);

/** The journal of the task of a rig, as text. */
async function journalOf({ task, dataDir }: Rig): Promise<string> {
  await task.flushed();
  return readFile(path.join(dataDir, "tasks", task.id, "journal.jsonl"), "utf8");
}

/** Everything that a task hands out or keeps. */
async function kept(rig: Rig): Promise<string> {
  const { task } = rig;
  const [{ snapshot }] = rig.shown.slice(-1) as [Rig["shown"][number]];
  const roo = toRoo({ messages: task.log, conversation: snapshot.context.conversation });
  return JSON.stringify([rig.sent(), roo, await journalOf(rig)]);
}

describe("A hook that replaces a result", () => {
  test("is all that the model, the journal, the stream and an export have of it, and is named", async () => {
    await using rig = await hookRig([redacting], { script: LOOKUP, ...OPTIONS });
    const events: unknown[] = [];
    for await (const event of rig.task.stream("Do it")) events.push(event);
    expect(lastResults(rig)).toBe("The password is [redacted].");
    expect(hookMessages(rig)).toEqual(['lookup: the result was replaced by the hook "redact".']);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool.finished",
        name: "lookup",
        outcome: "done",
        result: [{ type: "text", text: "The password is [redacted]." }],
      }),
    );
    expect(`${JSON.stringify(events)}${await kept(rig)}`).not.toContain(SECRET);
    expect(await journalOf(rig)).toContain('"replacedBy":["redact"]');
  });

  test("keeps the original in the journal alone where it says so", async () => {
    const hooks = [{ ...redacting, keepOriginal: true }];
    await using rig = await hookRig(hooks, { script: LOOKUP, ...OPTIONS });
    await run(rig);
    expect(lastResults(rig)).toBe("The password is [redacted].");
    const [settled] = (await journalOf(rig))
      .split("\n")
      .flatMap((line) => (line.includes('"replacedBy"') ? [JSON.parse(line).calls[0].outcome] : []));
    expect(settled.original).toContainEqual({ type: "text", text: `The password is ${SECRET}.` });
    delete settled.original;
    const roo = toRoo({ messages: rig.task.log, conversation: rig.task.snapshot.context.conversation });
    expect(JSON.stringify([settled, rig.sent(), roo])).not.toContain(SECRET);
  });

  test("keeps no original if another hook that replaced it does not", async () => {
    const hooks = [redacting, { ...redacting, name: "keeping", keepOriginal: true }];
    await using rig = await hookRig(hooks, { script: LOOKUP, ...OPTIONS });
    await run(rig);
    expect(await kept(rig)).not.toContain(SECRET);
  });

  test("leaves a failed call failed, and replaces the error that is shown", async () => {
    await using rig = await hookRig([redacting], {
      script: script("{ tool: lookup, input: { fails: true } }"),
      ...OPTIONS,
    });
    await run(rig);
    expect(lastResults(rig)).toContain('"error":"[redacted]"');
    expect(hookMessages(rig).join()).toContain('replaced by the hook "redact":\n{"status":"error"');
    expect(await journalOf(rig)).toMatch(/"kind":"failed","content":\[[^\]]*redacted\][^\]]*\],"replacedBy"/);
    expect(await kept(rig)).not.toContain(SECRET);
  });

  test("may also be a command", async () => {
    const command = `cat > /dev/null; echo '{"decision":"replace","result":"gone"}'`;
    const hook = commandHook({ name: "cmd", points: ["afterTool"], command, ...OF_LOOKUP });
    await using rig = await hookRig([hook], { script: LOOKUP, ...OPTIONS });
    await run(rig);
    expect(lastResults(rig)).toBe("gone");
    expect(await kept(rig)).not.toContain(SECRET);
  });

  test("names each hook that replaced it, and an empty text is not a result", async () => {
    const empty = hookAt("afterTool", () => ({ decision: "replace", result: " " }), {
      name: "empty",
      ...OF_LOOKUP,
    });
    await using rig = await hookRig([redacting, empty], { script: LOOKUP, ...OPTIONS });
    await run(rig);
    expect(lastResults(rig)).toBe("(the tool returned nothing)");
    expect(hookMessages(rig)).toEqual(['lookup: the result was replaced by the hooks "redact", "empty".']);
  });

  test("does not replace what the user said with the approval, which it does not see", async () => {
    const seen: string[] = [];
    const hook = hookAt(
      "afterTool",
      ({ result }) => {
        seen.push(result.text);
        return { decision: "replace", result: "gone" };
      },
      OF_LOOKUP,
    );
    await using rig = await hookRig([hook], { script: LOOKUP, ...OPTIONS, policy: askAPerson() });
    const running = run(rig);
    (await rig.ask("tool")).approve({ text: "Be quick." });
    const completion = await running;
    expect(completion.result).toBe("Done.");
    expect(lastResults(rig)).toBe('{"status":"approved","feedback":"Be quick."}\ngone');
    expect(seen).toEqual([`The password is ${SECRET}.`]);
  });

  test.each<[string, unknown]>([
    ["no text", { decision: "replace", result: 5 }],
    ["none", { decision: "replace" }],
    ["too long a one", { decision: "replace", result: "x".repeat(200_001) }],
  ])("withholds the result where it has %s in its place", async (_, decision) => {
    // A hook may be written in JavaScript.
    const hook = hookAt("afterTool", () => JSON.parse(JSON.stringify(decision)), OF_LOOKUP);
    await using rig = await hookRig([hook], { script: LOOKUP, ...OPTIONS });
    await run(rig);
    expect(lastResults(rig)).toContain('lookup: denied by the hook "afterTool": it did not decide');
    expect(await kept(rig)).not.toContain(SECRET);
  });

  test("denies a request, or a call that has no result yet", async () => {
    for (const point of ["beforeRequest", "beforeTool"] as const) {
      const hook = hookAt(point, () => ({ decision: "replace", result: "x" }), OF_LOOKUP);
      await using rig = await hookRig([hook], { script: LOOKUP, ...OPTIONS });
      expect((await run(rig)).ask).toBe(point === "beforeRequest" ? "failure" : "completion");
      expect(JSON.stringify(rig.task.log.toArray())).toContain(`at afterTool only, received it at ${point}`);
      expect(JSON.stringify(rig.sent())).not.toContain(SECRET);
    }
  });
});

test("HOOK: the end of a call that was cancelled is recorded without its result where hooks see results", async () => {
  const [started, ends] = [deferred(), deferred()];
  const slow = defineTool({
    ...{ name: "slow", description: "Slow.", inputSchema: z.object({}), effect: "executes" },
    execute: async () => {
      started.resolve();
      await ends.promise;
      return SECRET;
    },
  });
  await using rig = await hookRig([redacting], {
    script: script("{ tool: slow, input: {} }"),
    tools: [slow, ...builtinTools()],
  });
  const running = run(rig);
  await started.promise;
  rig.task.cancel();
  ends.resolve();
  await running.catch(() => undefined);
  await rig.task.run("Go on");
  expect(await journalOf(rig)).toContain('"kind":"effect.end"');
  expect(await kept(rig)).not.toContain(SECRET);
});

describe("a user's comment on an approval stays where the result is withheld", () => {
  const said = '{"status":"approved","feedback":"Be quick."}';
  const asking = { script: LOOKUP, ...OPTIONS, policy: askAPerson() };

  test("by a hook that denies", async () => {
    const denying = hookAt("afterTool", () => ({ decision: "deny", reason: "no." }), OF_LOOKUP);
    await using rig = await hookRig([denying], asking);
    const end = run(rig);
    (await rig.ask("tool")).approve({ text: "Be quick." });
    await end;
    expect(lastResults(rig).startsWith(`${said}\n`)).toBe(true);
    expect(lastResults(rig)).toContain("denied by the hook");
  });

  test("by a cancel of its hook", async () => {
    const started = deferred();
    await using rig = await hookRig([{ ...hanging("afterTool", started.resolve), ...OF_LOOKUP }], asking);
    run(rig).catch(() => undefined);
    (await rig.ask("tool")).approve({ text: "Be quick." });
    await started.promise;
    rig.task.cancel();
    await rig.task.run("Go on");
    expect(lastResults(rig)).toContain(`${said}\nThe call of lookup has ended`);
  });
});

test("HOOK: a result is withheld where its hook was cancelled, and nothing has it", async () => {
  const started = deferred();
  const hook = { ...hanging("afterTool", started.resolve), ...OF_LOOKUP };
  await using rig = await hookRig([redacting, hook], { script: LOOKUP, ...OPTIONS });
  run(rig).catch(() => undefined);
  await started.promise;
  rig.task.cancel();
  await rig.task.run("Go on");
  expect(lastResults(rig)).toContain("its result is withheld");
  expect(await kept(rig)).not.toContain(SECRET);
});
