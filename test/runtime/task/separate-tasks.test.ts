import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { builtinTools } from "../../../tools/index.ts";
import { parseDescriptor } from "../../../wire/descriptor.ts";
import { openRig } from "../../support/host.ts";

const write = (path: string, content: string): string =>
  `{ tool: write_to_file, input: { path: ${path}, content: "${content}" } }`;

describe("the data of one task or call reaches no other", () => {
  test("an edit of an approval changes the call of its own task only, whichever task is approved first (LIFE-GAP-036, L7)", async () => {
    for (const isEditedFirst of [false, true]) {
      await using one = await openRig({ script: `[${write("a.txt", "one\\n")}, { text: Done. }]` });
      await using two = await openRig({ script: `[${write("a.txt", "two\\n")}, { text: Done. }]` });
      const ends = [one.task.run("Go"), two.task.run("Go")];
      const [first, second] = [await one.ask("tool"), await two.ask("tool")];
      const approvals = [() => second.approve(), () => first.approve({ amendment: { content: "edited\n" } })];
      for (const approve of isEditedFirst ? approvals.toReversed() : approvals)
        expect(approve()).toEqual({ ok: true });
      await Promise.all(ends);
      expect([await one.file("a.txt"), await two.file("a.txt")]).toEqual(["edited\n", "two\n"]);
      expect(two.task.answer(first.id, { kind: "yes" })).toMatchObject({ ok: false });
    }
  });

  test("a streamed call is shown with the path of its own arguments, however calls follow each other (LIFE-GAP-037)", async () => {
    const script = `[[${write("a.txt", "one")}, ${write("b/c.txt", "two")}, ${write("a.txt", "three")}], { text: Done. }]`;
    await using rig = await openRig({ script: `{ chunk: 3, turns: ${script} }` });
    const paths = new Map<number, Set<string>>();
    rig.task.messages$.subscribe(({ ts, ask, text = "" }: ClineMessage) => {
      const path = ask === "tool" ? parseDescriptor(text)?.path : undefined;
      if (path !== undefined) paths.set(ts, (paths.get(ts) ?? new Set()).add(path));
    });
    rig.task.asks$.subscribe((ask) => {
      if (ask.kind === "tool") ask.approve();
    });
    await rig.task.run("Go");
    const whole = ["a.txt", "b/c.txt", "a.txt"];
    expect([...paths.values()].map((seen) => [...seen].at(-1))).toEqual(whole);
    for (const [index, seen] of [...paths.values()].entries())
      for (const path of seen) expect(whole[index]?.startsWith(path)).toBe(true);
  });

  test("a tool describes streamed arguments by these alone, whatever it described before (LIFE-GAP-037)", () => {
    const paths = ["a.txt", "b/c.txt", "b/c.t", "a.txt"];
    const described = builtinTools().map(({ name, partial }) => ({
      name,
      texts: paths.map((path) => partial({ path, content: "x", diff: "x" })),
    }));
    for (const { name, texts } of described) {
      const [first, ...others] = texts;
      expect([name, others.at(-1)]).toEqual([name, first]);
      if (first?.includes("a.txt") === true) expect([name, new Set(texts).size]).toEqual([name, 3]);
    }
    expect(described.find(({ name }) => name === "write_to_file")?.texts[0]).toContain("a.txt");
  });

  test("a second start of a task that works is refused, and the first run goes on (LIFE-GAP-030)", async () => {
    await using rig = await openRig({ script: `[${write("a.txt", "one")}, { text: Done. }]` });
    const end = rig.task.run("Go");
    const again = rig.task.run("Go again").catch((error: unknown) => error);
    (await rig.ask("tool")).approve();
    await end;
    expect(await again).toMatchObject({ code: "TASK_BUSY" });
    expect(rig.mock?.requests).toHaveLength(2);
    expect(JSON.stringify(rig.sent())).not.toContain("Go again");
    await expect(
      rig.host.create({ id: rig.task.id, model: anthropic({ model: "claude-sonnet-4-5" }), workspace: "." }),
    ).rejects.toMatchObject({ code: "TASK_EXISTS" });
  });

  test("a queued message approves nothing that waits, is there after the process, and is sent (LIFE-GAP-031, L7, L11)", async () => {
    await using rig = await openRig({ script: `[${write("a.txt", "one")}, { text: Done. }]` });
    const end = rig.task.run("Go");
    const ask = await rig.ask("tool");
    expect(rig.task.queue("Later")).toMatchObject({ ok: true });
    expect(rig.task.asks.map(({ id }) => id)).toEqual([ask.id]);
    await Promise.allSettled([rig.host.close(rig.task.id), end]);
    const task = await rig.host.open(rig.task.id, { model: rig.model, workspace: rig.dir });
    expect(task.snapshot.context.queue.map(({ text }) => text)).toEqual(["Later"]);
    await task.run();
    expect(await rig.file("a.txt").catch(() => "none")).toBe("none");
    expect(JSON.stringify(rig.sent())).toContain("Later");
  });
});
